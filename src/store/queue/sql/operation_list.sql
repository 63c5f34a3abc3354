-- A page of a project's operations, newest first; of one cluster and in one state when these are given. With each: when its steps were done.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key, p.done
FROM (SELECT count(*) AS total FROM job WHERE project_id = :project AND (:cluster_name::text IS NULL OR subject_name = :cluster_name) AND (:state::text IS NULL OR state = :state)) c
LEFT JOIN LATERAL (
    SELECT operation_json(j)::text AS document, j.id, j.seq, job_steps_done(j.id)::text AS done
    FROM job j WHERE j.project_id = :project AND (:cluster_name::text IS NULL OR j.subject_name = :cluster_name) AND (:state::text IS NULL OR j.state = :state)
    ORDER BY j.seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.seq DESC
