-- A new job. It runs when no earlier one with the same subject is left.
-- scope: organization $1
INSERT INTO job (org_id, project_id, id, kind, subject, subject_name, generation, payload, step, step_count)
VALUES ($1, $2, $3, $4, $5, $6, $7::bigint, $8::jsonb, $9, $10::int)
