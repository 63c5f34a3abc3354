-- Roles that hold what a role of the API allows.
SELECT rolname FROM pg_roles WHERE rolname LIKE 'reeve\_g\_%' ORDER BY 1
