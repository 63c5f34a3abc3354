-- Lets one transaction at a time add a job of one subject, so that the order of their numbers is the order of their commits.
-- scope: none, because it touches no table
SELECT pg_advisory_xact_lock(hashtextextended('job ' || encode(:subject::bytea, 'hex'), 0))
