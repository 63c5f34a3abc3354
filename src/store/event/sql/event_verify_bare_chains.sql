-- Chains of which every event is gone. One event of each is looked for: a join would read all of them.
-- scope: none, because the audit walks the chains of all organizations
SELECT encode(c.org_id, 'hex') AS organization, c.seq FROM event_chain c
WHERE (SELECT e.seq FROM event e WHERE e.org_id = c.org_id LIMIT 1) IS NULL
ORDER BY c.org_id
