-- Creates a team without members.
-- scope: organization $1
INSERT INTO team (org_id, id, name) VALUES ($1, $2, $3) RETURNING revision
