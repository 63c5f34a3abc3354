-- The teams that a JSON list of {teamId} names, locked in one order everywhere, so that two requests cannot wait for each other.
-- scope: organization $1
SELECT encode(t.id, 'hex') FROM team t
WHERE t.org_id = $1 AND t.id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements($2::jsonb) AS e (entry))
ORDER BY t.id FOR UPDATE
