-- A row when the role $1 is there.
SELECT FROM pg_roles WHERE rolname = $1
