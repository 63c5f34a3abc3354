-- Indexes of a cluster that could go. One is unused when no member has read it, its table was used a thousand times meanwhile, and every member that should run has
-- said so within a quarter of an hour; one that another covers is so on all members.
CREATE OR REPLACE FUNCTION advisor_drops(p_project bytea, p_cluster bytea) RETURNS text LANGUAGE sql STABLE AS $$
    WITH fresh AS (
        SELECT m.* FROM member_advice m
        WHERE m.project_id = p_project AND m.cluster_id = p_cluster AND m.advised_at > now() - interval '15 minutes'
    ), first AS (
        SELECT * FROM fresh WHERE (advice -> 'isPrimary')::boolean ORDER BY advised_at DESC LIMIT 1
    ), said AS (
        SELECT m.member_id, k.list, i FROM fresh m, (VALUES ('redundant'), ('unused')) k (list), jsonb_array_elements(m.advice -> k.list) i
    ), one AS (
        SELECT k.list, e.index, t.scans, t.unused_on
        FROM first f, (VALUES ('redundant'), ('unused')) k (list), jsonb_array_elements(f.advice -> k.list) e (index)
        CROSS JOIN LATERAL (SELECT sum((s.i ->> 'scans')::bigint) AS scans, count(*) FILTER (WHERE s.list = 'unused') AS unused_on FROM said s
                            WHERE s.i ->> 'database' = e.index ->> 'database' AND s.i ->> 'schema' = e.index ->> 'schema' AND s.i ->> 'name' = e.index ->> 'name') t
    ), shown AS (
        SELECT o.list, jsonb_build_object(
            'name', o.index ->> 'name', 'namespace', advisor_namespace(o.index), 'index', advisor_index_json(o.index -> 'keys'), 'accessCount', coalesce(o.scans, 0),
            'since', api_date(to_timestamp((o.index ->> 'since')::double precision / 1000)), 'sizeBytes', o.index -> 'bytes') AS document
        FROM one o, first f
        WHERE o.list = 'redundant' OR ((o.index -> 'isProven')::boolean AND o.unused_on >= f.cluster_size AND o.unused_on = (SELECT count(*) FROM fresh))
        ORDER BY (o.index ->> 'bytes')::bigint DESC, 2
    )
    SELECT jsonb_build_object('redundantIndexes', coalesce(jsonb_agg(document) FILTER (WHERE list = 'redundant'), '[]'),
                              'unusedIndexes', coalesce(jsonb_agg(document) FILTER (WHERE list = 'unused'), '[]'))::text FROM shown
$$;
