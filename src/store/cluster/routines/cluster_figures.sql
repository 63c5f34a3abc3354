-- How many clusters have a primary that works, and what members do.
CREATE OR REPLACE VIEW cluster_figures AS
WITH judged AS MATERIALIZED (SELECT p.state FROM cluster_primary p)
SELECT 'reeve_fleet_clusters' AS metric, k.state AS label_1, NULL::text AS label_2, NULL::text AS label_3, count(c.state)::numeric AS value
FROM (VALUES ('HEALTHY'), ('SILENT'), ('NONE'), ('STARTING'), ('STOPPED')) k (state) LEFT JOIN judged c ON c.state = k.state GROUP BY k.state
UNION ALL
SELECT 'reeve_fleet_members', m.desired, m.unit, NULL, count(*) FROM cluster_member m GROUP BY m.desired, m.unit
UNION ALL
SELECT 'reeve_fleet_members_with_problem', NULL, NULL, NULL, count(*) FROM cluster_member m WHERE m.problem IS NOT NULL;
