-- A row when the role $1 may log in.
SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin
