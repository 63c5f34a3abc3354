-- The members of some projects that ought to run, with what matchers compare.
-- scope: none, because the worker serves all organizations; the projects are those of configurations that it has read
SELECT encode(m.project_id, 'hex') AS project, encode(p.member_id, 'hex') AS member, c.name AS cluster, p.key AS process, c.set_name,
       p.document::json ->> 'typeName' AS type, w.analytics
FROM (SELECT decode(x, 'hex') AS project_id FROM unnest(string_to_array(:projects, ',')) x) m
CROSS JOIN LATERAL project_processes(m.project_id) p
JOIN cluster c ON c.id = p.cluster_id
JOIN cluster_member w ON w.id = p.member_id AND w.desired = 'RUNNING'
ORDER BY m.project_id, p.member_id
