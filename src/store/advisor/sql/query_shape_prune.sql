-- Removes shapes that were not seen for eight days.
-- scope: none, because the service tidies up for everybody
DELETE FROM query_shape WHERE (cluster_id, hash, database) IN
    (SELECT cluster_id, hash, database FROM query_shape WHERE last_seen < now() - interval '8 days' LIMIT :limit::bigint)
