-- How a cluster changes its size by itself, and what was last found about it.
-- scope: project :project
SELECT (jsonb_build_object('autoScalingMode', 'CLUSTER_WIDE_SCALING')
        || CASE WHEN s.is_on THEN s.found || jsonb_build_object('settledDate', api_date(s.changed_at)) ELSE '{}' END)::text AS document
FROM resource r LEFT JOIN cluster_scaling s ON s.cluster_id = r.id
WHERE r.scope = :project AND r.kind = :kind AND r.name = :name
