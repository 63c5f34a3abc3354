-- Keeps an alert quiet until a moment, or makes it speak again (NULL).
-- scope: project :project
UPDATE alert SET acknowledged_until = to_timestamp(:until_ms::bigint / 1000.0), comment = :comment, acknowledged_by = :by, updated_at = now(),
    revision = nextval('revision')
WHERE project_id = :project AND id = :alert
