-- Changes a project's name and settings.
-- scope: organization $1
UPDATE project SET name = $3, settings = $4::jsonb, revision = nextval('revision') WHERE org_id = $1 AND id = $2
