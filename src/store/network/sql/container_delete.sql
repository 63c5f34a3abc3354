-- Removes a network container.
-- scope: project $1
DELETE FROM network_container WHERE project_id = $1 AND id = $2
