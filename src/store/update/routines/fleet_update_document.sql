-- A rollout as operators see it, without its clusters.
CREATE OR REPLACE FUNCTION fleet_update_document(p_update fleet_update) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'id', encode(p_update.id, 'hex'), 'state', p_update.state, 'problem', p_update.problem, 'version', p_update.version,
        'atATime', p_update.at_a_time, 'patienceSeconds', p_update.patience_s, 'ignoreWindow', p_update.ignores_window, 'includePinned', p_update.with_pinned,
        'createdBy', p_update.created_by, 'createdAt', api_date(p_update.created_at), 'finishedAt', api_date(p_update.finished_at),
        'jobId', encode(p_update.job_id, 'hex'),
        'total', count(*), 'done', count(*) FILTER (WHERE u.state = 'DONE'), 'running', count(*) FILTER (WHERE u.state = 'RUNNING'),
        'waiting', count(*) FILTER (WHERE u.state IN ('WAITING', 'QUEUED')), 'failed', count(*) FILTER (WHERE u.state = 'FAILED'),
        'skipped', count(*) FILTER (WHERE u.state = 'SKIPPED')))
    FROM fleet_update_cluster u WHERE u.update_id = p_update.id
$$;
