-- Tells every listener of a channel something when the transaction commits.
-- scope: none, because it touches no table
SELECT pg_notify(:channel, :payload)
