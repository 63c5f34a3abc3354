-- Locks the credentials of an organization that is about to be deleted, in one order.
-- scope: organization :organization
SELECT id FROM principal WHERE org_id = :organization ORDER BY id FOR UPDATE
