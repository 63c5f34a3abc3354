-- The addresses of a project's clusters: where members take connections, and where connections of theirs come from.
-- scope: project :project
SELECT json_build_object('groupId', encode(:project::bytea, 'hex'), 'services', json_build_object('clusters', coalesce(json_agg(c.document ORDER BY c.name), '[]')))::text AS document
FROM (SELECT c.name, json_build_object(
                 'clusterName', c.name,
                 'inbound', coalesce(json_agg(DISTINCT host(a.address)) FILTER (WHERE m.desired IN ('RUNNING', 'STOPPED')), '[]'),
                 'outbound', coalesce(json_agg(DISTINCT host(h.address)) FILTER (WHERE m.desired IN ('RUNNING', 'STOPPED') AND h.address IS NOT NULL), '[]'),
                 'futureInbound', coalesce(json_agg(DISTINCT host(a.address)) FILTER (WHERE m.desired = 'PLANNED'), '[]'),
                 'futureOutbound', coalesce(json_agg(DISTINCT host(h.address)) FILTER (WHERE m.desired = 'PLANNED' AND h.address IS NOT NULL), '[]')) AS document
      FROM cluster c
      LEFT JOIN cluster_member m ON m.cluster_id = c.id
      LEFT JOIN host_address a ON a.member_id = m.id
      LEFT JOIN host h ON h.id = m.host_id
      WHERE c.project_id = :project
      GROUP BY c.id, c.name) c
