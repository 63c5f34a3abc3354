-- A host joins, or joins again under its name: then its epoch moves, and it keeps its members.
-- scope: none, because hosts are the operator's
INSERT INTO host AS h (id, name, provider, region, zone, cpus, memory_mb, disk_gb, address, facts)
VALUES (:id, :host_name, :provider, :region, :zone, :cpus::numeric, :memory_mb::int, :disk_gb::int, :address::inet, :facts::jsonb)
ON CONFLICT (name) DO UPDATE SET
    epoch = h.epoch + 1, provider = excluded.provider, region = excluded.region, zone = excluded.zone,
    state = CASE WHEN h.state = 'REMOVED' THEN 'ACTIVE' ELSE h.state END,
    -- What members have reserved stays reserved, also when the machine became smaller.
    cpus = greatest(excluded.cpus, h.used_cpus), memory_mb = greatest(excluded.memory_mb, h.used_memory_mb),
    disk_gb = greatest(excluded.disk_gb, h.used_disk_gb), address = excluded.address, facts = excluded.facts,
    seen_version = 0, joined_at = now()
RETURNING encode(id, 'hex') AS host, epoch
