-- What is known of the primary of each cluster. SILENT: the last that was heard of it is too old, so nobody knows. NONE: nobody is it, and no job is under way that
-- would make one. STARTING: such a job is. STOPPED: nothing of the cluster is to run.
CREATE OR REPLACE VIEW cluster_primary WITH (security_invoker = true) AS
SELECT m.cluster_id, CASE WHEN NOT m.is_wanted THEN 'STOPPED' WHEN m.is_healthy THEN 'HEALTHY'
                          WHEN EXISTS (SELECT FROM job j WHERE j.subject = m.cluster_id AND j.state IN ('QUEUED', 'RUNNING')
                                         AND j.kind IN ('cluster.create', 'cluster.resume', 'cluster.restore')) THEN 'STARTING'
                          WHEN m.is_silent THEN 'SILENT' ELSE 'NONE' END AS state
FROM (SELECT m.cluster_id, bool_or(m.desired = 'RUNNING') AS is_wanted,
             bool_or(m.role = 'PRIMARY' AND m.unit = 'active' AND m.reported_at >= now() - interval '90 seconds') AS is_healthy,
             -- Somebody may be it: the one that was, or any of whom nothing is heard.
             bool_or(m.desired = 'RUNNING' AND (m.reported_at IS NULL OR m.reported_at < now() - interval '90 seconds')) AS is_silent
      FROM cluster_member m GROUP BY m.cluster_id) m;
GRANT SELECT ON cluster_primary TO reeve_reader;
