-- Removes the document of a cluster: it is gone, or becomes one of another kind.
-- scope: project $1
DELETE FROM resource WHERE scope = $1 AND kind = $2 AND id = $3
