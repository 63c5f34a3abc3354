-- What Prometheus can ask, in the form of its HTTP service discovery: processes with an address that were there within the last ten minutes. One that was killed stays
-- for so long, so that it is seen to be down.
-- scope: none, because processes of the control plane belong to nobody
SELECT coalesce(json_agg(json_build_object(
    'targets', json_build_array(i.address),
    'labels', json_build_object('__scheme__', CASE WHEN i.is_encrypted THEN 'https' ELSE 'http' END, '__metrics_path__', '/metrics',
                                'job', 'reeve', 'kind', lower(i.kind), 'node', i.name, 'version', i.version)) ORDER BY i.name), '[]')::text AS list
FROM instance i WHERE i.address IS NOT NULL AND i.seen_at >= now() - interval '10 minutes'
