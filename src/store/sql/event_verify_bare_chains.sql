-- Chains of which every event is gone.
-- scope: none, because the audit walks the chains of all organizations
SELECT encode(c.org_id, 'hex'), c.seq FROM event_chain c
WHERE NOT EXISTS (SELECT FROM event e WHERE e.org_id = c.org_id)
ORDER BY c.org_id
