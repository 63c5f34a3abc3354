-- Tells every node that the members of the teams in a JSON list of {teamId} hold other roles now. Very many are told as all:
-- a node forgets everything faster than it reads that much.
-- scope: organization :organization
WITH affected AS (
    SELECT DISTINCT m.person_id FROM team_member m
    WHERE m.org_id = :organization
      AND m.team_id IN (SELECT decode(e.entry ->> 'teamId', 'hex') FROM jsonb_array_elements(:entries::jsonb) AS e (entry))
)
SELECT pg_notify(:channel::text, told.payload)
FROM (SELECT 'principal:' || encode(person_id, 'hex') AS payload FROM affected WHERE (SELECT count(*) FROM affected) <= 500
      UNION ALL
      SELECT 'all' WHERE (SELECT count(*) FROM affected) > 500) told
