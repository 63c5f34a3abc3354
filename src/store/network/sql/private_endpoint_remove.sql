-- An endpoint is no longer let in. It goes when its host says so.
-- scope: project :project
UPDATE private_endpoint e SET removed_at = now() FROM private_endpoint_service s
WHERE s.id = e.service_id AND s.project_id = :project AND s.id = :id AND e.name = :name AND e.removed_at IS NULL
