-- The teams that a JSON list of {teamId} names, locked in one order everywhere, so that two requests cannot wait for each other.
-- scope: organization :organization
SELECT encode(t.id, 'hex') AS team FROM team t
WHERE t.org_id = :organization AND t.id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements(:entries::jsonb) AS e (entry))
ORDER BY t.id FOR UPDATE
