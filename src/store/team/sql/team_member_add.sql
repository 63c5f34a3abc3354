-- Puts a person into a team; once more changes nothing.
-- scope: organization :organization
INSERT INTO team_member (org_id, team_id, person_id) VALUES (:organization, :team, :person) ON CONFLICT (org_id, team_id, person_id) DO NOTHING
