-- A private endpoint service is no longer wanted. It goes when its host says that it is gone there; at once when the operator removed the host.
-- scope: project :project
WITH lost AS (DELETE FROM private_endpoint_service s WHERE s.project_id = :project AND s.id = :id AND private_endpoint_host_is_gone(s.id))
UPDATE private_endpoint_service s SET removed_at = now()
WHERE s.project_id = :project AND s.id = :id AND s.removed_at IS NULL AND NOT private_endpoint_host_is_gone(s.id)
