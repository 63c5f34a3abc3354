-- As operators see it. The payload is left out: only the steps know what is in it.
CREATE OR REPLACE FUNCTION job_json(j job) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(j.id, 'hex'),
        'orgId', encode(j.org_id, 'hex'),
        'groupId', encode(j.project_id, 'hex'),
        'kind', j.kind,
        'subject', encode(j.subject, 'hex'),
        'subjectName', j.subject_name,
        'generation', j.generation,
        'state', j.state,
        'currentStep', j.step,
        'stepNumber', j.step_number,
        'stepCount', j.step_count,
        'try', j.try,
        'failures', j.failures,
        'waitsFor', CASE WHEN j.finished_at IS NULL THEN j.waits_for END,
        'failure', CASE WHEN j.finished_at IS NOT NULL THEN j.waits_for END,
        'createdAt', job_date(j.created_at),
        'startedAt', job_date(j.started_at),
        'stepStartedAt', job_date(j.step_started_at),
        'finishedAt', job_date(j.finished_at),
        'nextRunAt', CASE WHEN j.finished_at IS NULL THEN job_date(j.next_run_at) END,
        'stepDeadlineAt', CASE WHEN j.finished_at IS NULL THEN job_date(j.step_deadline_at) END,
        'overdueAt', job_date(j.overdue_at),
        'worker', j.lease_owner,
        'leaseUntil', job_date(j.lease_until)))
$$;
