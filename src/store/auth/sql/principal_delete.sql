-- Deletes a service account or API key of the organization, with its secrets, roles and access list.
-- scope: organization :organization
DELETE FROM principal WHERE org_id = :organization AND id = :principal;
