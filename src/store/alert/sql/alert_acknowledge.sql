-- Keeps an alert quiet until a moment, or makes it speak again (NULL).
-- scope: project $1
UPDATE alert SET acknowledged_until = to_timestamp($3::bigint / 1000.0), comment = $4, acknowledged_by = $5, updated_at = now(),
    revision = nextval('revision')
WHERE project_id = $1 AND id = $2
