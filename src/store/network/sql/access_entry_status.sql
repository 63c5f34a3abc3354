-- Whether an entry of a project's access list is in force on every member that should run.
-- scope: project :project
SELECT CASE WHEN r.document ->> 'deleteAfterDate' <= api_date(now()) THEN 'EXPIRED'
            WHEN m.behind = 0 THEN 'ACTIVE'
            WHEN m.failed > 0 THEN 'FAILED'
            ELSE 'PENDING' END AS state
FROM resource r
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE m.applied_access < r.access_generation) AS behind,
           count(*) FILTER (WHERE m.applied_access < r.access_generation AND m.problem IS NOT NULL) AS failed
    FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
    WHERE c.project_id = :project AND m.desired = 'RUNNING') m
WHERE r.scope = :project AND r.kind = 'accessListEntry' AND r.name = :name
