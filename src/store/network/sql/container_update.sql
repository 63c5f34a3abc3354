-- Another block for a network container.
-- scope: project $1
UPDATE network_container SET block = $3::cidr WHERE project_id = $1 AND id = $2
