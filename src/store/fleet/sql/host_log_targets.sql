-- Where logs of the members on a host are sent, sealed.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT json_agg(json_build_object('id', encode(r.id, 'hex'), 'projectId', encode(r.scope, 'hex'), 'logTypes', r.document -> 'logTypes',
                                  'sealed', r.document -> 'internal' ->> 'secrets') ORDER BY r.id)::text AS targets
FROM (SELECT DISTINCT c.project_id FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id
      WHERE m.host_id = :host AND m.desired <> 'PLANNED') p
JOIN resource r ON r.scope = p.project_id AND r.kind = 'logIntegration'
