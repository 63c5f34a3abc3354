-- One operation of a project, and when its steps were done.
-- scope: project $1
SELECT operation_json(j)::text, job_steps_done(j.id)::text FROM job j WHERE j.project_id = $1 AND j.id = $2
