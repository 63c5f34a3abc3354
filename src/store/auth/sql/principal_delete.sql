-- Deletes a service account or API key of the organization, with its secrets, roles and access list.
-- scope: organization $1
DELETE FROM principal WHERE org_id = $1 AND id = $2;
