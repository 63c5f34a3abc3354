-- A page of all clusters with their versions; of one verdict when :verdict is not empty.
-- scope: none, because operators look after all organizations
WITH wanted AS MATERIALIZED (SELECT * FROM fleet_versions f WHERE :verdict = '' OR f.verdict = :verdict)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT f.project_name, f.name, encode(f.cluster_id, 'hex') AS key, jsonb_strip_nulls(jsonb_build_object(
        'clusterId', encode(f.cluster_id, 'hex'), 'name', f.name, 'projectId', encode(f.project_id, 'hex'), 'projectName', f.project_name, 'verdict', f.verdict,
        'running', f.running, 'installed', f.installed, 'members', f.members, 'reason', f.reason, 'servers', f.servers))::text AS document
    FROM wanted f ORDER BY f.project_name, f.name, f.cluster_id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.project_name, p.name, p.key
