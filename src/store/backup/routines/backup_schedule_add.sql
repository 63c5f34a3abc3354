-- The schedule that a cluster begins with, together with what the project's compliance policy asks for, whose rules take the place of those that
-- are due at the same time; nothing when it has one. Snapshots are counted from the moment at which the cluster was made, so that not all clusters
-- have theirs at the same minute.
CREATE OR REPLACE FUNCTION backup_schedule_add(p_org bytea, p_project bytea, p_cluster bytea, p_name text, p_created timestamptz) RETURNS void
LANGUAGE sql VOLATILE AS $$
    WITH policy AS (SELECT p, n FROM resource c, jsonb_array_elements(c.document -> 'scheduledPolicyItems') WITH ORDINALITY t (p, n)
                    WHERE c.scope = p_project AND c.kind = 'backupCompliancePolicy' AND c.name = '')
    INSERT INTO resource (scope, kind, id, name, org_id, document)
    SELECT p_project, 'backupSchedule', reeve_new_id(p_cluster), encode(p_cluster, 'hex'), p_org, jsonb_build_object(
        'clusterId', encode(p_cluster, 'hex'),
        'clusterName', p_name,
        'changedAt', api_date(now()), -- not shown: what is late is counted from it
        'policies', jsonb_build_array(jsonb_build_object(
            'id', encode(reeve_new_id(p_cluster), 'hex'),
            'policyItems', (SELECT jsonb_agg(jsonb_build_object('id', encode(reeve_new_id(p_cluster), 'hex')) || i.item ORDER BY i.place) FROM (
                SELECT n AS place, jsonb_build_object('frequencyType', frequency, 'frequencyInterval', every, 'retentionUnit', unit, 'retentionValue', kept) AS item
                FROM (VALUES (1, 'hourly', 6, 'days', 2), (2, 'daily', 1, 'days', 7), (3, 'weekly', 6, 'weeks', 4), (4, 'monthly', 40, 'months', 12))
                     d (n, frequency, every, unit, kept)
                WHERE NOT EXISTS (SELECT FROM policy WHERE (p ->> 'frequencyType', (p -> 'frequencyInterval')::int) = (frequency, every))
                UNION ALL SELECT 4 + n, p - 'id' FROM policy) i))),
        'referenceHourOfDay', extract(hour FROM p_created AT TIME ZONE 'UTC')::int,
        'referenceMinuteOfHour', extract(minute FROM p_created AT TIME ZONE 'UTC')::int,
        'restoreWindowDays', greatest(2, (SELECT (c.document -> 'restoreWindowDays')::int FROM resource c
                                          WHERE c.scope = p_project AND c.kind = 'backupCompliancePolicy' AND c.name = '')),
        'autoExportEnabled', false, 'useOrgAndGroupNamesInExportPrefix', false, 'copySettings', '[]'::jsonb, 'extraRetentionSettings', '[]'::jsonb)
    ON CONFLICT (scope, kind, name) DO NOTHING
$$;
