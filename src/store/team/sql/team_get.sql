-- One team as the API shows it.
-- scope: organization :organization
SELECT team_json(t) AS document, t.revision FROM team t WHERE t.org_id = :organization AND t.id = :team
