-- Suggested indexes of a process; no row without such a process.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT advisor_suggestions(CASE WHEN m.advised_at BETWEEN advisor_from(:query::jsonb) AND advisor_to(:query::jsonb) THEN ARRAY[m.member_id::bytea] ELSE '{}' END,
                                 m.cluster_id, :query::jsonb -> 'namespaces', coalesce((:query::jsonb ->> 'nIndexes')::int, 100)) AS document
      FROM advisor_process(:project, :process) m JOIN cluster o ON o.id = m.cluster_id WHERE o.project_id = :project) d
