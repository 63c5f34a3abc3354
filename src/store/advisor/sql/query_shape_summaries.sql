-- What the shapes of a cluster cost; no row without such a cluster.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT jsonb_build_object('summaries', coalesce((SELECT jsonb_agg(c.document) FROM advisor_shape_costs(:project, r.id, :query::jsonb) c), '[]'))::text AS document
      FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name) d
