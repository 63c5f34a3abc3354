-- Creates a project.
-- scope: organization :organization
INSERT INTO project (org_id, id, name, settings) VALUES (:organization, :project, :name, :settings::jsonb)
