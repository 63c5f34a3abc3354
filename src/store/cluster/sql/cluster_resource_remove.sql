-- Removes the document of a cluster: it is gone, or becomes one of another kind.
-- scope: project :project
DELETE FROM resource WHERE scope = :project AND kind = :kind AND id = :cluster
