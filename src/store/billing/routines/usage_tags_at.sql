-- The tags of a cluster's usage in one hour: its own and those of its project, {"key": ["value", ...]}. A line has at most 2,000 bytes of
-- them, keys in order, so that an invoice of many lines can still be read.
CREATE OR REPLACE FUNCTION usage_tags_at(p_cluster bytea, p_project bytea, p_hour timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_object_agg(k.key, k.said), '{}')
    FROM (SELECT one.key, one.said, sum(octet_length(one.key) + octet_length(one.said::text)) OVER (ORDER BY one.key COLLATE "C") AS bytes
          FROM (SELECT pair.tag ->> 'key' AS key, jsonb_agg(DISTINCT pair.tag ->> 'value') AS said
                FROM usage_tags t CROSS JOIN LATERAL jsonb_array_elements(t.tags) AS pair (tag)
                WHERE t.owner_id IN (p_cluster, p_project) AND t.valid_from <= p_hour AND (t.replaced_at IS NULL OR t.replaced_at > p_hour)
                  AND pair.tag ->> 'key' IS NOT NULL AND pair.tag ->> 'value' IS NOT NULL
                GROUP BY 1) one) k
    WHERE k.bytes <= 2000
$$;
