-- One team as the API shows it.
-- scope: organization $1
SELECT team_json(t), t.revision FROM team t WHERE t.org_id = $1 AND t.id = $2
