-- Extensions that every host of a cluster has in the same version: {"vector": "0.8.0"}. No row without such a cluster.
-- scope: project :project
SELECT (SELECT coalesce(jsonb_object_agg(o.name, o.version), '{}')
        FROM (SELECT split_part(e.fact, ' ', 2) AS name, min(split_part(e.fact, ' ', 3)) AS version
              FROM cluster_member m JOIN host h ON h.id = m.host_id CROSS JOIN LATERAL jsonb_array_elements_text(
                  CASE jsonb_typeof(h.facts -> 'extensions') WHEN 'array' THEN h.facts -> 'extensions' ELSE '[]' END) e (fact)
              WHERE m.cluster_id = c.id AND m.desired <> 'REMOVED' AND split_part(e.fact, ' ', 1) = c.major_version
              GROUP BY 1 HAVING count(DISTINCT split_part(e.fact, ' ', 3)) = 1 AND count(DISTINCT h.id) = (
                  SELECT count(DISTINCT a.host_id) FROM cluster_member a WHERE a.cluster_id = c.id AND a.desired <> 'REMOVED')) o)::text AS document
FROM resource r JOIN cluster c ON c.id = r.id
WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name
