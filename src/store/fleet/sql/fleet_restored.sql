-- The database is older than what hosts have heard: every number that they compare moves past all that it may have been (:step).
-- scope: none, because hosts are the operator's and hold members of many organizations
WITH goals AS (UPDATE host_goal_version v SET version = v.version + :step::bigint RETURNING v.host_id),
     clusters AS (UPDATE cluster c SET goal_generation = c.goal_generation + :step::bigint RETURNING c.id),
     projects AS (UPDATE project_access a SET generation = a.generation + :step::bigint RETURNING a.project_id)
SELECT (SELECT count(*) FROM goals) AS hosts, (SELECT count(*) FROM clusters) AS clusters, (SELECT count(*) FROM projects),
       (SELECT count(pg_notify('reeve_goal', encode(g.host_id, 'hex'))) FROM goals g)
