-- For how long the oldest jobs of each kind wait or run. WAITING: nobody has begun it, or its step waits for something.
CREATE OR REPLACE VIEW job_figures AS
SELECT 'reeve_fleet_job_age_seconds' AS metric, j.kind AS label_1, CASE WHEN j.state = 'QUEUED' OR j.waits_for IS NOT NULL THEN 'WAITING' ELSE 'RUNNING' END AS label_2,
       NULL::text AS label_3, greatest(0, floor(extract(epoch FROM now() - min(j.created_at))))::numeric AS value
FROM job j WHERE j.state IN ('QUEUED', 'RUNNING') GROUP BY 2, 3;
