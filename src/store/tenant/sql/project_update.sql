-- Changes a project's name and settings.
-- scope: organization :organization
UPDATE project SET name = :name, settings = :settings::jsonb, revision = nextval('revision') WHERE org_id = :organization AND id = :project
