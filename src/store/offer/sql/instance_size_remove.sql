-- Removes a size that no member has.
-- scope: none, because sizes are the operator's
DELETE FROM instance_size WHERE name = :name RETURNING name
