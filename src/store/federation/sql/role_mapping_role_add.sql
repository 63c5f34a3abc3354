-- One role of a role mapping, in a project or (without one) in the organization; one that is there already stays.
-- scope: organization $1
INSERT INTO role_mapping_role (org_id, mapping_id, project_id, role) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
