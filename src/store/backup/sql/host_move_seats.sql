-- Has other hosts take over what a host that was given up has kept; how many seats there still are on it.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT host_move_seats(:host) AS seats_left
