-- The schedule of a cluster as its repository hosts are told it; NULL when it has none.
CREATE OR REPLACE FUNCTION backup_schedule_goal(p_project bytea, p_cluster bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'referenceHour', (r.document -> 'referenceHourOfDay')::int,
        'referenceMinute', (r.document -> 'referenceMinuteOfHour')::int,
        'windowDays', (r.document -> 'restoreWindowDays')::int,
        'items', (SELECT coalesce(json_agg(json_build_object(
                             'id', i ->> 'id', 'frequency', i ->> 'frequencyType', 'interval', (i -> 'frequencyInterval')::int,
                             'retentionUnit', i ->> 'retentionUnit', 'retentionValue', (i -> 'retentionValue')::int) ORDER BY n), '[]')
                  FROM jsonb_array_elements(r.document -> 'policies') p, jsonb_array_elements(p -> 'policyItems') WITH ORDINALITY t (i, n)),
        'extraDays', (SELECT coalesce(json_object_agg(lower(e ->> 'frequencyType'), (e -> 'retentionDays')::int), '{}')
                      FROM jsonb_array_elements(r.document -> 'extraRetentionSettings') e WHERE e ->> 'frequencyType' <> 'ON_DEMAND'))
    FROM resource r WHERE r.scope = p_project AND r.kind = 'backupSchedule' AND r.name = encode(p_cluster, 'hex')
$$;
