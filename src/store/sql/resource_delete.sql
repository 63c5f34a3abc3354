-- Removes a resource.
-- scope: project :scope
DELETE FROM resource WHERE scope = :scope AND kind = :kind AND id = :resource
