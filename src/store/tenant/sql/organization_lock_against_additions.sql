-- Locks an organization that is about to be deleted: nothing can be added to it any more.
-- scope: organization $1
SELECT 1 FROM organization WHERE id = $1 FOR UPDATE
