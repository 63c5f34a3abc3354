-- Removes a provider that has no regions.
-- scope: none, because providers are the operator's
DELETE FROM provider WHERE name = :name RETURNING name
