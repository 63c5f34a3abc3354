-- What the agents of the target's members said about a restore.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(m.member, 'hex') AS member, m.phase, m.state, m.problem, m.has_access FROM restore_members(:restore) m
