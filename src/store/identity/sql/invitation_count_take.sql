-- Counts one more invitation of an organization today, unless there were :most already.
-- scope: organization :organization
INSERT INTO invitation_count (org_id, day, n) VALUES (:organization, (now() AT TIME ZONE 'UTC')::date, 1)
ON CONFLICT (org_id) DO UPDATE
SET n = CASE WHEN invitation_count.day = excluded.day THEN invitation_count.n + 1 ELSE 1 END, day = excluded.day
WHERE invitation_count.day <> excluded.day OR invitation_count.n < :most::int
RETURNING n
