-- How much a project holds, as (what, how many): people and service accounts with roles, and its configuration resources by kind.
-- scope: organization $1
SELECT 'person', count(DISTINCT r.id) FROM member_role r JOIN member m ON m.org_id = $1 AND m.id = r.id
WHERE r.org_id = $1 AND r.project_id = $2
UNION ALL
SELECT 'service_account', count(DISTINCT g.principal_id) FROM role_grant g JOIN service_account a ON a.id = g.principal_id
WHERE g.org_id = $1 AND g.project_id = $2
UNION ALL
SELECT CASE c.kind WHEN 'flexCluster' THEN 'cluster' ELSE c.kind END, sum(c.total)::bigint FROM list_counter c WHERE c.scope = $2 GROUP BY 1
