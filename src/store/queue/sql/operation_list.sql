-- A page of a project's operations, newest first; of one cluster and in one state when these are given. With each: when its steps were done.
-- scope: project $1
SELECT c.total, p.document, encode(p.id, 'hex'), p.done
FROM (SELECT count(*) AS total FROM job WHERE project_id = $1 AND ($2::text IS NULL OR subject_name = $2) AND ($3::text IS NULL OR state = $3)) c
LEFT JOIN LATERAL (
    SELECT operation_json(j)::text AS document, j.id, j.seq, job_steps_done(j.id)::text AS done
    FROM job j WHERE j.project_id = $1 AND ($2::text IS NULL OR j.subject_name = $2) AND ($3::text IS NULL OR j.state = $3)
    ORDER BY j.seq DESC OFFSET $4::bigint LIMIT $5::bigint) p ON true
ORDER BY p.seq DESC
