-- How many clusters have backups, by how their last drill ended, and of how many it was not proven for too long that they can be restored.
-- scope: none, because metrics are about all organizations
SELECT coalesce(d.state, 'NONE') AS state, count(*) AS count, count(*) FILTER (WHERE t.drill_overdue) AS overdue
FROM backup_stanza t
LEFT JOIN LATERAL (SELECT o.state FROM drill o WHERE o.stanza_id = t.id AND o.finished_at IS NOT NULL ORDER BY o.finished_at DESC, o.id DESC LIMIT 1) d ON true
WHERE t.state = 'OPEN' GROUP BY 1 ORDER BY 1
