-- Where logs of the members on a host are sent, sealed; of what goes into a bucket also where that is, and the keys of the role.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT json_agg(json_build_object('id', encode(r.id, 'hex'), 'projectId', encode(r.scope, 'hex'),
                                  'logTypes', coalesce(r.document -> 'logTypes', '["POSTGRES", "POSTGRES_AUDIT", "PATRONI"]'),
                                  'sealed', r.document -> 'internal' ->> 'secrets', 'role', b.place) ORDER BY r.id)::text AS targets
FROM (SELECT DISTINCT c.project_id FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id
      WHERE m.host_id = :host AND m.desired <> 'PLANNED') p
JOIN resource r ON r.scope = p.project_id AND r.kind IN ('logIntegration', 'pushBasedLogExport')
LEFT JOIN LATERAL (SELECT json_build_object('keys', provider_role_sealed(r.scope, r.document ->> 'iamRoleId'),
                              'url', coalesce(o.endpoint, ''), 'region', coalesce(o.region, ''), 'bucket', coalesce(s.bucket, ''),
                              'prefix', concat(s.prefix, r.document ->> 'prefixPath')) AS place
                   FROM (SELECT 1) one LEFT JOIN provider_role_store(r.scope, r.document ->> 'iamRoleId') s ON true LEFT JOIN object_store o ON o.name = s.store
                   WHERE r.document ? 'iamRoleId') b ON true
