-- Notes once an hour what regions have and what of it is reserved; a day has one row, the last of it. After 400 days it is forgotten.
CREATE OR REPLACE FUNCTION capacity_note() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    INSERT INTO capacity_day AS d (provider, region, day, taken_at, hosts, members, cpus, used_cpus, memory_mb, used_memory_mb, disk_gb, used_disk_gb)
    SELECT h.provider, h.region, current_date, now(), count(*), sum((SELECT count(*) FROM cluster_member m WHERE m.host_id = h.id)), sum(h.cpus), sum(h.used_cpus),
           sum(h.memory_mb::numeric), sum(h.used_memory_mb::numeric), sum(h.disk_gb::numeric), sum(h.used_disk_gb::numeric)
    FROM host h
    WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' AND reeve_is_service()
      AND NOT EXISTS (SELECT FROM capacity_day e WHERE e.provider = h.provider AND e.region = h.region AND e.day = current_date AND e.taken_at > now() - interval '1 hour')
    GROUP BY h.provider, h.region
    ON CONFLICT (provider, region, day) DO UPDATE SET taken_at = excluded.taken_at, hosts = excluded.hosts, members = excluded.members, cpus = excluded.cpus,
        used_cpus = excluded.used_cpus, memory_mb = excluded.memory_mb, used_memory_mb = excluded.used_memory_mb, disk_gb = excluded.disk_gb, used_disk_gb = excluded.used_disk_gb;
    DELETE FROM capacity_day d WHERE d.day < current_date - 400 AND reeve_is_service();
$$;
REVOKE ALL ON FUNCTION capacity_note() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION capacity_note() TO reeve_tenant;
