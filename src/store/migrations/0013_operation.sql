-- How jobs look, and what is done again and again.

-- With milliseconds, because steps are short.
CREATE FUNCTION job_date(moment timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- When each step was done the last time: {"place-members": "2026-…", …}.
CREATE FUNCTION job_steps_done(p_job bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_object_agg(h.step, h.at ORDER BY h.at), '{}')
    FROM (SELECT step, job_date(max(at)) AS at FROM job_history WHERE job_id = p_job AND outcome = 'DONE' GROUP BY step) h
$$;

-- As operators see it. The payload is left out: only the steps know what is in it.
CREATE FUNCTION job_json(j job) RETURNS json LANGUAGE sql STABLE AS $$
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

-- As the tenant sees it: the operation. The service adds the steps, which are in a table of the program.
CREATE FUNCTION operation_json(j job) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(j.id, 'hex'),
        'kind', j.kind,
        'clusterName', j.subject_name,
        'state', j.state,
        'generation', j.generation,
        'currentStep', CASE WHEN j.state <> 'DONE' THEN j.step END,
        'percent', CASE WHEN j.state = 'DONE' THEN 100 ELSE 100 * j.step_number / greatest(j.step_count, 1) END,
        'waitsFor', CASE WHEN j.finished_at IS NULL THEN j.waits_for END,
        'failure', CASE WHEN j.state = 'FAILED' THEN j.waits_for END,
        'createdAt', job_date(j.created_at),
        'startedAt', job_date(j.started_at),
        'stepStartedAt', job_date(j.step_started_at),
        'finishedAt', job_date(j.finished_at)))
$$;

-- What was finished long ago is removed by the service.
CREATE POLICY sweep_sees ON job FOR SELECT TO reeve_tenant
    USING (reeve_is_service() AND finished_at < now() - interval '30 days');
CREATE POLICY sweep ON job FOR DELETE TO reeve_tenant
    USING (reeve_is_service() AND finished_at < now() - interval '30 days');

-- What is done every so often, by one worker at a time. A row appears when its sweep first runs.
CREATE TABLE sweep (
    name         text PRIMARY KEY, -- a row of the table in job/kinds.c
    next_run_at  timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    succeeded_at timestamptz, -- when it last ended without an error
    problem      text, -- of the last run
    lease_owner  text,
    lease_epoch  bigint NOT NULL DEFAULT 0,
    lease_until  timestamptz
);
ALTER TABLE sweep ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON sweep TO reeve_reader;
CREATE POLICY reader ON sweep FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE ON sweep TO reeve_tenant;
CREATE POLICY service ON sweep TO reeve_tenant USING (reeve_is_service());
