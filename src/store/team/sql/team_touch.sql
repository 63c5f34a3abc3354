-- The teams of a JSON list of {teamId} are others now: their ETags move.
-- scope: organization $1
UPDATE team SET revision = nextval('revision')
WHERE org_id = $1 AND id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements($2::jsonb) AS e (entry))
