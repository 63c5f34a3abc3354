-- The open stanza of a cluster, locked, and whether a snapshot that somebody asked for is not finished.
-- scope: project :project
SELECT encode(t.id, 'hex') AS stanza,
       EXISTS (SELECT FROM snapshot s WHERE s.project_id = :project AND s.stanza_id = t.id AND s.origin = 'ON_DEMAND' AND s.state IN ('QUEUED', 'IN_PROGRESS')
                                        AND s.hidden_at IS NULL) AS is_busy
FROM backup_stanza t WHERE t.project_id = :project AND t.cluster_id = :cluster AND t.state = 'OPEN'
FOR UPDATE OF t
