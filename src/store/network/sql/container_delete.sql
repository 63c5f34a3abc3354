-- Removes a network container.
-- scope: project :project
DELETE FROM network_container WHERE project_id = :project AND id = :container
