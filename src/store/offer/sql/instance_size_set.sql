-- Adds a size or changes what new members of it get.
-- scope: none, because sizes are the operator's
INSERT INTO instance_size (name, cpus, memory_mb, disk_gb, max_connections, ordinal)
VALUES (:name, :cpus::numeric, :memory_mb::int, :disk_gb::int, :max_connections::int, :ordinal::int)
ON CONFLICT (name) DO UPDATE SET cpus = excluded.cpus, memory_mb = excluded.memory_mb, disk_gb = excluded.disk_gb,
    max_connections = excluded.max_connections, ordinal = excluded.ordinal
