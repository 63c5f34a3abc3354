-- The roles of a credential in one context, as a list of names.
-- scope: organization $1
SELECT roles_json($2, $1, $3::bytea)::text
