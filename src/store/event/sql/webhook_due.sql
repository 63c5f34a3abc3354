-- Webhooks that have something to tell and may be tried now, those that wait longest first.
-- scope: none, because the worker serves all organizations; it claims each in a transaction of its organization
SELECT encode(w.org_id, 'hex') AS organization, encode(w.id, 'hex') AS webhook
FROM webhook w JOIN event_chain c ON c.org_id = w.org_id
WHERE w.enabled AND w.paused_at IS NULL AND w.next_try_at <= now() AND (w.lease_until IS NULL OR w.lease_until < now())
  AND c.seq > w.delivered_seq
ORDER BY w.next_try_at
LIMIT 16
