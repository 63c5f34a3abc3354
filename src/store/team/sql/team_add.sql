-- Creates a team without members.
-- scope: organization :organization
INSERT INTO team (org_id, id, name) VALUES (:organization, :team, :name) RETURNING revision
