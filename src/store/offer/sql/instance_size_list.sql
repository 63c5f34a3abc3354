-- Sizes of members, small ones first.
-- scope: none, because sizes are the operator's
SELECT coalesce(json_agg(json_build_object('name', s.name, 'cpus', s.cpus, 'memoryMb', s.memory_mb, 'diskGb', s.disk_gb,
                                           'maxConnections', s.max_connections, 'ordinal', s.ordinal)
                         ORDER BY s.ordinal, s.name), '[]')::text AS json
FROM instance_size s
