-- What the teams of a JSON list of {teamId} hold in a project, as one JSON list.
-- scope: organization :organization
SELECT coalesce(json_agg(team_role_json(t.id, :organization, :project) ORDER BY t.id), '[]')::text AS documents FROM team t
WHERE t.org_id = :organization AND t.id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements(:entries::jsonb) AS e (entry))
