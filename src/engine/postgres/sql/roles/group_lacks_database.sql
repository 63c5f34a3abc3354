-- A row when the role $1 lacks something on the database $2, so that nothing is written when all is granted.
SELECT FROM pg_database WHERE datname = $2
  AND NOT (has_database_privilege($1, oid, 'CONNECT') AND has_database_privilege($1, oid, 'TEMPORARY'))
