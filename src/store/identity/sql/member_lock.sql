-- Lets one transaction at a time change one member of an organization.
-- scope: none, because it touches no table
SELECT pg_advisory_xact_lock(hashtextextended('member ' || encode(:organization::bytea, 'hex') || encode(:member::bytea, 'hex'), 0))
