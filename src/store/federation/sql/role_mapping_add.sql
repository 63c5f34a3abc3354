-- A new role mapping of an organization, without roles yet.
-- scope: organization $1
INSERT INTO role_mapping (org_id, id, external_group) VALUES ($1, $2, $3)
