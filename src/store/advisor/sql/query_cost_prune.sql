-- Removes what statements cost more than eight days ago.
-- scope: none, because the service tidies up for everybody
DELETE FROM query_cost WHERE (member_id, since, hash, database) IN
    (SELECT member_id, since, hash, database FROM query_cost WHERE since < now() - interval '8 days' LIMIT :limit::bigint)
