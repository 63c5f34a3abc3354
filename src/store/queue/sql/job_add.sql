-- A new job. It runs when no earlier one with the same subject is left.
-- scope: organization :organization
INSERT INTO job (org_id, project_id, id, kind, subject, subject_name, generation, payload, step, step_count)
VALUES (:organization, :project, :job, :kind, :subject, :subject_name, :generation::bigint, :payload::jsonb, :first_step, :step_count::int)
