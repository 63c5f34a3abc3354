-- Puts a person into a team; once more changes nothing.
-- scope: organization $1
INSERT INTO team_member (org_id, team_id, person_id) VALUES ($1, $2, $3) ON CONFLICT (org_id, team_id, person_id) DO NOTHING
