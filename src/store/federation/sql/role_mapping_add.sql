-- A new role mapping of an organization, without roles yet.
-- scope: organization :organization
INSERT INTO role_mapping (org_id, id, external_group) VALUES (:organization, :mapping, :group)
