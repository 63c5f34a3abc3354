-- How much a project holds, as (what, how many): people and service accounts with roles, and its configuration resources by kind.
-- scope: organization :organization
SELECT 'person' AS counted, count(DISTINCT r.id) AS count FROM member_role r JOIN member m ON m.org_id = :organization AND m.id = r.id
WHERE r.org_id = :organization AND r.project_id = :project
UNION ALL
SELECT 'service_account', count(DISTINCT g.principal_id) FROM role_grant g JOIN service_account a ON a.id = g.principal_id
WHERE g.org_id = :organization AND g.project_id = :project
UNION ALL
SELECT 'network_peer', count(*) FROM network_peer n WHERE n.org_id = :organization AND n.project_id = :project
UNION ALL
SELECT CASE c.kind WHEN 'flexCluster' THEN 'cluster' ELSE c.kind END, sum(c.total)::bigint FROM list_counter c WHERE c.scope = :project GROUP BY 1
