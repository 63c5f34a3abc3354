-- The teams of a JSON list of {teamId} are others now: their ETags move.
-- scope: organization :organization
UPDATE team SET revision = nextval('revision')
WHERE org_id = :organization AND id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements(:entries::jsonb) AS e (entry))
