-- Tries to hold a principal's key until the transaction ends; false when another transaction holds it.
-- scope: principal :principal
SELECT pg_try_advisory_xact_lock(hashtextextended(encode(:principal::bytea, 'hex') || ' ' || :key::text, 0)) AS locked
