-- Suggested indexes of some members, best first, and the shapes that they help. How much one helps: the time that its shapes took, by how much cheaper they become,
-- compared with all others.
CREATE OR REPLACE FUNCTION advisor_suggestions(p_members bytea[], p_cluster bytea, p_namespaces jsonb, p_most int) RETURNS text LANGUAGE sql STABLE AS $$
    WITH one AS (
        SELECT DISTINCT ON (namespace, i -> 'keys') i, advisor_namespace(i) AS namespace,
               (SELECT sum((g ->> 'ms')::double precision * (1 - (g ->> 'after')::double precision / (g ->> 'before')::double precision))
                FROM jsonb_array_elements(i -> 'gains') g) AS saved_ms
        FROM member_advice m, jsonb_array_elements(m.advice -> 'indexes') i, advisor_namespace(i) namespace
        WHERE m.member_id = ANY (p_members) AND (coalesce(jsonb_array_length(p_namespaces), 0) = 0 OR p_namespaces ? advisor_namespace(i))
        ORDER BY namespace, i -> 'keys', m.advised_at DESC
    ), best AS (
        SELECT * FROM one ORDER BY saved_ms DESC, namespace LIMIT p_most
    ), gain AS (
        SELECT DISTINCT ON (g ->> 'hash', b.i ->> 'database') g ->> 'hash' AS hash, b.i ->> 'database' AS database, g, b.namespace, b.saved_ms, b.i
        FROM best b, jsonb_array_elements(b.i -> 'gains') g
    )
    SELECT jsonb_build_object(
        'notes', (SELECT coalesce(jsonb_agg(DISTINCT m.missing), '[]') FROM member_advice m WHERE m.member_id = ANY (p_members) AND m.missing <> ''),
        'suggestedIndexes', (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', substr(encode(sha256(convert_to(b.namespace || (b.i ->> 'keys'), 'UTF8')), 'hex'), 1, 24),
            'namespace', b.namespace,
            'index', advisor_index_json(b.i -> 'keys'),
            'impact', (SELECT jsonb_agg(lower(g ->> 'hash') || '00000000') FROM jsonb_array_elements(b.i -> 'gains') g),
            'weight', round((b.saved_ms / nullif((SELECT sum(saved_ms) FROM one), 0))::numeric, 4),
            'avgObjSize', b.i -> 'rowBytes',
            'sizeBytes', b.i -> 'bytes',
            'proof', (SELECT jsonb_agg(jsonb_build_object('queryShapeHash', g ->> 'hash', 'costBefore', g -> 'before', 'costAfter', g -> 'after'))
                      FROM jsonb_array_elements(b.i -> 'gains') g)) ORDER BY b.saved_ms DESC, b.namespace), '[]') FROM best b),
        'shapes', (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', lower(s.hash) || '00000000',
            'namespace', coalesce(s.namespace, g.namespace),
            'count', (g.g ->> 'calls')::bigint,
            'avgMs', round((g.g ->> 'ms')::numeric / greatest((g.g ->> 'calls')::numeric, 1)),
            'inefficiencyScore', round((g.g ->> 'before')::numeric / greatest((g.g ->> 'after')::numeric, 1)),
            'queryShape', s.text,
            'operations', '[]'::jsonb) ORDER BY (g.g ->> 'ms')::double precision DESC), '[]')
            FROM gain g JOIN query_shape s ON s.cluster_id = p_cluster AND s.hash = g.hash AND s.database = g.database))::text
$$;
