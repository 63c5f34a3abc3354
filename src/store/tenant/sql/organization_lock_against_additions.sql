-- Locks an organization that is about to be deleted: nothing can be added to it any more.
-- scope: organization :organization
SELECT 1 FROM organization WHERE id = :organization FOR UPDATE
