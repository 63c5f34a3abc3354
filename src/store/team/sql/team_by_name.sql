-- One team by its name.
-- scope: organization $1
SELECT encode(t.id, 'hex'), team_json(t), t.revision FROM team t WHERE t.org_id = $1 AND t.name = $2
