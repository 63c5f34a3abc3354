-- Puts a gate for a restore into the goal of its repository host; NULL when no port is free there.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT restore_gate_open(:restore) AS port
