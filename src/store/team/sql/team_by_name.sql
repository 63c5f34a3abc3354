-- One team by its name.
-- scope: organization :organization
SELECT encode(t.id, 'hex') AS id, team_json(t) AS document, t.revision FROM team t WHERE t.org_id = :organization AND t.name = :name
