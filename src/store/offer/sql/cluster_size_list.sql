-- The sizes that members can have, small ones first.
-- scope: none, because it is what the operator offers to every tenant alike
SELECT name, cpus::float8, memory_mb, disk_gb, max_connections FROM instance_size ORDER BY ordinal, name
