-- A private endpoint service is no longer wanted. It goes when its host says that it is gone there.
-- scope: project :project
UPDATE private_endpoint_service s SET removed_at = now() WHERE s.project_id = :project AND s.id = :id AND s.removed_at IS NULL
