-- Locks the credentials of an organization that is about to be deleted, in one order.
-- scope: organization $1
SELECT id FROM principal WHERE org_id = $1 ORDER BY id FOR UPDATE
