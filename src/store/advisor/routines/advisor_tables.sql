-- Advice on the tables of a cluster, by what to do.
CREATE OR REPLACE FUNCTION advisor_tables(p_project bytea, p_cluster bytea) RETURNS text LANGUAGE sql STABLE AS $$
    WITH what (trigger, recommendation, description) AS (VALUES
        ('NUM_INDEXES', 'REMOVE_UNNECESSARY_INDEXES', 'Drop indexes that are not needed: each write has to change all of them.'),
        ('NUMBER_OF_NAMESPACES', 'REDUCE_NUMBER_OF_NAMESPACES', 'Use fewer tables: each costs memory in every session and time in every restart.'),
        ('DOC_SIZE_TOO_LARGE', 'REDUCE_DOCUMENT_SIZE', 'Make rows smaller: keep large values elsewhere, or in a table of their own.'),
        ('QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX', 'OPTIMIZE_CASE_INSENSITIVE_REGEX_QUERIES',
         'Search for lower(column) with an index on that expression, or use an index of trigrams (pg_trgm).'),
        ('NO_PRIMARY_KEY', 'ADD_PRIMARY_KEY', 'Give the table a primary key.'),
        ('SEQUENCE_NEAR_END', 'WIDEN_SEQUENCE', 'Change the column and its sequence to bigint before the numbers are used up: then no row can be added.'),
        ('FOREIGN_KEY_WITHOUT_INDEX', 'INDEX_FOREIGN_KEYS', 'Create an index that begins with the columns of the foreign key.')
    ), seen AS (
        SELECT t ->> 'trigger' AS trigger, t ->> 'description' AS sentence,
               CASE WHEN t ->> 'table' IS NULL THEN NULL ELSE (t ->> 'database') || '.' || (t ->> 'table') END AS namespace
        FROM (SELECT m.advice FROM member_advice m WHERE m.project_id = p_project AND m.cluster_id = p_cluster AND (m.advice -> 'isPrimary')::boolean
              ORDER BY m.advised_at DESC LIMIT 1) m, jsonb_array_elements(m.advice -> 'tables') t
    ), tables AS (
        SELECT w.recommendation, w.description, s.namespace,
               jsonb_agg(jsonb_build_object('triggerType', s.trigger, 'description', s.sentence) ORDER BY s.sentence) AS triggers
        FROM seen s JOIN what w USING (trigger) GROUP BY 1, 2, 3
    ), advice AS (
        SELECT t.recommendation, jsonb_build_object('recommendation', t.recommendation, 'description', t.description,
            'affectedNamespaces', jsonb_agg(jsonb_strip_nulls(jsonb_build_object('namespace', t.namespace, 'triggers', t.triggers)) ORDER BY t.namespace)) AS document
        FROM tables t GROUP BY t.recommendation, t.description
    )
    SELECT jsonb_build_object('recommendations', coalesce(jsonb_agg(document ORDER BY recommendation), '[]'))::text FROM advice
$$;
