-- One operation of a project, and when its steps were done.
-- scope: project :project
SELECT operation_json(j)::text AS document, job_steps_done(j.id)::text AS done FROM job j WHERE j.project_id = :project AND j.id = :operation
