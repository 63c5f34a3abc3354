-- Whether everything that was asked of a cluster is in force.
-- scope: project $1
SELECT r.observed_generation >= r.generation
       AND NOT EXISTS (SELECT FROM job j WHERE j.project_id = $1 AND j.subject = r.id AND j.state IN ('QUEUED', 'RUNNING') AND j.step <> 'wait-window')
FROM resource r WHERE r.scope = $1 AND r.kind = 'cluster' AND r.name = $2
