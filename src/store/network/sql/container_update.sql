-- Another block for a network container.
-- scope: project :project
UPDATE network_container SET block = :block::cidr WHERE project_id = :project AND id = :id
