-- Hands over to role_empty: the role that goes, and who gets what is in the database when that role owns the database itself.
SELECT set_config('reeve.role', $1, false), set_config('reeve.owner', $2, false)
