-- Changes an organization's name and settings.
-- scope: organization :organization
UPDATE organization SET name = :name, settings = :settings::jsonb, revision = nextval('revision') WHERE id = :organization
