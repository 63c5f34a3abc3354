-- Counts one more invitation of an organization today, unless there were $2 already.
-- scope: organization $1
INSERT INTO invitation_count (org_id, day, n) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1)
ON CONFLICT (org_id) DO UPDATE
SET n = CASE WHEN invitation_count.day = excluded.day THEN invitation_count.n + 1 ELSE 1 END, day = excluded.day
WHERE invitation_count.day <> excluded.day OR invitation_count.n < $2::int
RETURNING n
