-- One job as operators see it, when its steps were done, and its history.
-- scope: none, because operators look after all organizations
SELECT job_json(j)::text AS document, job_steps_done(j.id)::text AS steps_done, (
    SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
        'number', h.number, 'at', job_date(h.at), 'step', h.step, 'try', h.try, 'outcome', h.outcome, 'detail', h.detail,
        'worker', h.worker)) ORDER BY h.number), '[]')
    FROM job_history h WHERE h.job_id = j.id)::text AS history,
    encode(j.org_id, 'hex') AS organization, encode(j.project_id, 'hex') AS project, j.subject_name
FROM job j WHERE j.id = :job
