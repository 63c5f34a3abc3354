-- Some schedules of running clusters, in the order of their stanzas, and when the newest snapshot was taken by each. What was taken by an
-- older form of the schedule says nothing about this one.
-- scope: none, because the worker looks at those of all organizations
SELECT encode(t.id, 'hex') AS stanza, encode(t.org_id, 'hex') AS organization, encode(t.project_id, 'hex') AS project, t.cluster_name, r.name, r.state, r.document::text,
       (extract(epoch FROM greatest(t.created_at, (r.document ->> 'changedAt')::timestamptz,
                                    (SELECT max(s.created_at) FROM snapshot s
                                     WHERE s.stanza_id = t.id AND s.origin = 'SCHEDULED' AND s.state <> 'FAILED'))) * 1000)::bigint AS newest_ms
FROM backup_stanza t
JOIN resource r ON r.scope = t.project_id AND r.kind = 'backupSchedule' AND r.name = encode(t.cluster_id, 'hex')
JOIN resource c ON c.scope = t.project_id AND c.kind IN ('cluster', 'flexCluster') AND c.id = t.cluster_id AND coalesce(c.document ->> 'paused', 'false') = 'false'
WHERE t.state = 'OPEN' AND t.id > :after::bytea
ORDER BY t.id LIMIT :limit::bigint
