-- A host joins, or joins again under its name: then its epoch moves, and it keeps its members and seats, and seats stay where their data is. With another purpose only one
-- that has neither can: no row when it has.
-- scope: none, because hosts are the operator's
INSERT INTO host AS h (id, name, provider, region, zone, cpus, memory_mb, disk_gb, address, facts, purpose, object_store)
VALUES (:id, :host_name, :provider, :region, :zone, :cpus::numeric, :memory_mb::int, :disk_gb::int, :address::inet, :facts::jsonb, :purpose,
        nullif(:object_store, ''))
ON CONFLICT (name) DO UPDATE SET
    epoch = h.epoch + 1, provider = excluded.provider, region = excluded.region, zone = excluded.zone,
    state = CASE WHEN h.state = 'REMOVED' THEN 'ACTIVE' ELSE h.state END,
    -- What members have reserved stays reserved, also when the machine became smaller.
    cpus = greatest(excluded.cpus, h.used_cpus), memory_mb = greatest(excluded.memory_mb, h.used_memory_mb),
    disk_gb = greatest(excluded.disk_gb, h.used_disk_gb), address = excluded.address, facts = excluded.facts,
    purpose = excluded.purpose, object_store = excluded.object_store, seen_version = 0, joined_at = now()
    WHERE h.purpose = excluded.purpose OR NOT EXISTS (SELECT FROM cluster_member m WHERE m.host_id = h.id
                                                       UNION ALL SELECT FROM stanza_seat t WHERE t.host_id = h.id
                                                       UNION ALL SELECT FROM private_endpoint_service s WHERE s.host_id = h.id)
RETURNING encode(id, 'hex') AS host, epoch
