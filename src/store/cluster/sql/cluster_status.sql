-- Whether everything that was asked of a cluster is in force.
-- scope: project :project
SELECT r.observed_generation >= r.generation
       AND NOT EXISTS (SELECT FROM job j WHERE j.project_id = :project AND j.subject = r.id AND j.state IN ('QUEUED', 'RUNNING') AND j.step <> 'wait-window') AS is_applied
FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :cluster_name
