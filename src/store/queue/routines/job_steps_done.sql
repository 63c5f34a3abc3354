-- When each step was done the last time: {"place-members": "2026-…", …}.
CREATE OR REPLACE FUNCTION job_steps_done(p_job bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_object_agg(h.step, h.at ORDER BY h.at), '{}')
    FROM (SELECT step, job_date(max(at)) AS at FROM job_history WHERE job_id = p_job AND outcome = 'DONE' GROUP BY step) h
$$;
