-- Hides some snapshots whose time is over, the longest first. What is protected stays, whatever its end says. One that somebody is changing waits for
-- the next time: they have others as well, and would wait for those here.
-- scope: none, because the service sweeps by age
UPDATE snapshot SET hidden_at = now() WHERE id IN (
    SELECT s.id FROM snapshot s
    WHERE s.hidden_at IS NULL AND s.expires_at <= now() AND (s.protected_until IS NULL OR s.protected_until <= now())
    ORDER BY s.expires_at, s.id LIMIT :limit::bigint FOR UPDATE SKIP LOCKED)
