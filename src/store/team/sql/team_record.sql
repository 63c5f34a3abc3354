-- One team with its members and all its roles.
-- scope: organization :organization
SELECT team_record_json(t) AS document FROM team t WHERE t.org_id = :organization AND t.id = :team
