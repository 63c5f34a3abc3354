-- Changes an organization's name and settings.
-- scope: organization $1
UPDATE organization SET name = $2, settings = $3::jsonb, revision = nextval('revision') WHERE id = $1
