-- A cluster gets poolers, or has none any more.
-- scope: project :project
UPDATE cluster c SET pooling = :enabled, pooling_mode = :mode WHERE c.project_id = :project AND c.id = :cluster
