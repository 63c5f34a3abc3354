-- One team with its members and all its roles.
-- scope: organization $1
SELECT team_record_json(t) FROM team t WHERE t.org_id = $1 AND t.id = $2
