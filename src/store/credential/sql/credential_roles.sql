-- The roles of a credential in one context, as a list of names.
-- scope: organization :organization
SELECT roles_json(:credential, :organization, :project::bytea)::text AS roles
