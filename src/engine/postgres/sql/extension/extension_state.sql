-- Who owns the extension $1 of this database, whether that is the superuser, and its schema; no row: it is not there.
SELECT pg_get_userbyid(e.extowner), e.extowner = 10, n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = $1
