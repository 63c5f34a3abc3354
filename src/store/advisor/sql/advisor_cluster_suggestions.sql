-- Suggested indexes of a cluster; no row without such a cluster.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT advisor_suggestions(ARRAY(SELECT m.member_id::bytea FROM advisor_members(:project, r.id, :query::jsonb -> 'processIds') m
                                       WHERE m.advised_at BETWEEN advisor_from(:query::jsonb) AND advisor_to(:query::jsonb)),
                                 r.id, :query::jsonb -> 'namespaces', 100) AS document
      FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name) d
