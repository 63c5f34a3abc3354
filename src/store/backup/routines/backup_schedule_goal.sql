-- The schedule of a cluster as the host of one of its seats is told it; NULL when it has none. All rules are there, because the names of snapshots are made of them; those
-- that the seat does not go by say so.
CREATE OR REPLACE FUNCTION backup_schedule_goal(p_seat stanza_seat, p_project bytea, p_cluster bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'referenceHour', (r.document -> 'referenceHourOfDay')::int,
        'referenceMinute', (r.document -> 'referenceMinuteOfHour')::int,
        'windowDays', (r.document -> 'restoreWindowDays')::int,
        'isWalLeftOut', p_seat.is_copy AND seat_window_days(p_seat, p_project, p_cluster) = 0,
        'items', (SELECT coalesce(json_agg(json_build_object(
                             'id', i ->> 'id', 'frequency', i ->> 'frequencyType', 'interval', (i -> 'frequencyInterval')::int,
                             'retentionUnit', i ->> 'retentionUnit', 'retentionValue', (i -> 'retentionValue')::int,
                             'isLeftOut', NOT seat_takes(p_seat, upper(i ->> 'frequencyType'))) ORDER BY n), '[]')
                  FROM jsonb_array_elements(r.document -> 'policies') p, jsonb_array_elements(p -> 'policyItems') WITH ORDINALITY t (i, n)),
        'extraDays', (SELECT coalesce(json_object_agg(lower(e ->> 'frequencyType'), (e -> 'retentionDays')::int), '{}')
                      FROM jsonb_array_elements(r.document -> 'extraRetentionSettings') e WHERE e ->> 'frequencyType' <> 'ON_DEMAND'))
    FROM resource r WHERE r.scope = p_project AND r.kind = 'backupSchedule' AND r.name = encode(p_cluster, 'hex')
$$;
