-- Removes a resource.
-- scope: project $1
DELETE FROM resource WHERE scope = $1 AND kind = $2 AND id = $3
