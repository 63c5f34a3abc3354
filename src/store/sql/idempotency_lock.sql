-- Tries to hold a principal's key until the transaction ends; false when another transaction holds it.
-- scope: principal $1
SELECT pg_try_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex') || ' ' || $2::text, 0))
