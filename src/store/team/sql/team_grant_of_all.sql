-- What the teams of a JSON list of {teamId} hold in a project, as one JSON list.
-- scope: organization $1
SELECT coalesce(json_agg(team_role_json(t.id, $1, $2) ORDER BY t.id), '[]')::text FROM team t
WHERE t.org_id = $1 AND t.id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements($3::jsonb) AS e (entry))
