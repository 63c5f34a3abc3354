-- As the tenant sees it: the operation. The service adds the steps, which are in a table of the program.
CREATE OR REPLACE FUNCTION operation_json(j job) RETURNS json LANGUAGE sql STABLE AS $$
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
