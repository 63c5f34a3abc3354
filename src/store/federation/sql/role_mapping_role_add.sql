-- One role of a role mapping, in a project or (without one) in the organization; one that is there already stays.
-- scope: organization :organization
INSERT INTO role_mapping_role (org_id, mapping_id, project_id, role) VALUES (:organization, :mapping, :project, :role) ON CONFLICT DO NOTHING
