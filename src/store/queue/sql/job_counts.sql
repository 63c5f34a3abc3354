-- Numbers of jobs by kind and state; of each: how many are overdue, and for how many seconds the oldest that is not finished is there.
-- scope: none, because the metrics are of the whole service
SELECT kind, state, count(*) AS count, count(*) FILTER (WHERE overdue_at IS NOT NULL AND finished_at IS NULL) AS overdue,
    coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE finished_at IS NULL)), 0)::bigint AS oldest_s
FROM job GROUP BY kind, state ORDER BY kind, state
