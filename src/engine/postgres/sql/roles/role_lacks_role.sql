-- A row when the role $1 is not in the role $2.
SELECT WHERE NOT pg_has_role($1, $2, 'MEMBER')
