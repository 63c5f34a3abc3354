-- The fleet as the operator sees it; one host when :host is not empty.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT coalesce(json_agg(json_build_object(
    'id', encode(h.id, 'hex'),
    'name', h.name,
    'provider', h.provider,
    'region', h.region,
    'zone', h.zone,
    'state', h.state,
    'purpose', h.purpose,
    'objectStore', h.object_store,
    'epoch', h.epoch,
    'address', host(h.address),
    'goalVersion', v.version,
    'seenVersion', h.seen_version,
    'joinedAt', api_date(h.joined_at),
    'lastSeenAt', api_date(h.last_seen_at),
    'silentS', floor(extract(epoch FROM now() - h.last_seen_at))::bigint,
    'cpus', h.cpus, 'usedCpus', h.used_cpus,
    'memoryMb', h.memory_mb, 'usedMemoryMb', h.used_memory_mb,
    'diskGb', h.disk_gb, 'usedDiskGb', h.used_disk_gb,
    'fullPercent', floor(100 * greatest(h.used_cpus / nullif(h.cpus, 0), h.used_memory_mb::numeric / nullif(h.memory_mb, 0), h.used_disk_gb::numeric / nullif(h.disk_gb, 0)))::bigint,
    'addresses', (SELECT count(*) FROM host_address a WHERE a.host_id = h.id),
    'freeAddresses', (SELECT count(*) FROM host_address a WHERE a.host_id = h.id AND a.member_id IS NULL),
    'members', (SELECT count(*) FROM cluster_member m WHERE m.host_id = h.id),
    'seats', (SELECT count(*) FROM stanza_seat t WHERE t.host_id = h.id),
    'agentVersion', h.facts ->> 'agentVersion',
    'patroniVersion', h.facts ->> 'patroniVersion',
    'pgbackrestVersion', h.facts ->> 'pgbackrestVersion',
    'postgresVersions', coalesce(h.facts -> 'postgresVersions', '[]'),
    'strays', coalesce(h.facts -> 'strays', '[]')) ORDER BY h.name), '[]')::text AS json
FROM host h JOIN host_goal_version v ON v.host_id = h.id
WHERE (:host = '' AND h.state <> 'REMOVED') OR h.name = :host
