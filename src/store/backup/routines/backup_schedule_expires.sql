-- Until when a schedule keeps what was taken at that moment for these of its rules; NULL when it has none of them. The same arithmetic as
-- schedule_expires() of backup/schedule.h, of which it is a second form for many rows at a time: a test compares the two.
CREATE OR REPLACE FUNCTION backup_schedule_expires(p_schedule jsonb, p_items bytea[], p_at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max((p_at AT TIME ZONE 'UTC'
                + (i ->> 'retentionValue')::int * CASE i ->> 'retentionUnit' WHEN 'days' THEN interval '1 day' WHEN 'weeks' THEN interval '7 days'
                                                                             WHEN 'months' THEN interval '1 month' ELSE interval '1 year' END
                + coalesce((SELECT (e ->> 'retentionDays')::int FROM jsonb_array_elements(p_schedule -> 'extraRetentionSettings') e
                            WHERE e ->> 'frequencyType' = upper(i ->> 'frequencyType') LIMIT 1), 0) * interval '1 day') AT TIME ZONE 'UTC')
    FROM jsonb_array_elements(p_schedule -> 'policies') p, jsonb_array_elements(p -> 'policyItems') i
    WHERE decode(i ->> 'id', 'hex') = ANY (p_items)
$$;
