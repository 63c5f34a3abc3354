-- Removes an object store that nothing is kept in, and that no host writes to.
-- scope: none, because object stores are the operator's
WITH forgotten AS (UPDATE host SET object_store = NULL WHERE object_store = :name AND state = 'REMOVED')
DELETE FROM object_store WHERE name = :name RETURNING name
