-- Processes of the control plane that were there in the last two minutes.
CREATE OR REPLACE VIEW instance_figures AS
SELECT 'reeve_fleet_instances' AS metric, k.kind AS label_1, NULL::text AS label_2, NULL::text AS label_3, count(i.name)::numeric AS value
FROM (VALUES ('API'), ('WORKER')) k (kind) LEFT JOIN instance i ON i.kind = k.kind AND i.seen_at >= now() - interval '2 minutes' GROUP BY k.kind;
