-- Whether a container has peerings, which keep it as it is.
-- scope: project :project
SELECT EXISTS (SELECT FROM network_peer n WHERE n.project_id = :project AND n.container_id = :container) AS is_peered
