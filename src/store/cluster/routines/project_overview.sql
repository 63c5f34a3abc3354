-- A project with its clusters, for the list of all clusters that a caller sees.
CREATE OR REPLACE VIEW project_overview WITH (security_invoker = true) AS
SELECT p.id, p.org_id,
       json_build_object(
           'groupId', encode(p.id, 'hex'),
           'groupName', p.name,
           'orgId', encode(p.org_id, 'hex'),
           'orgName', o.name,
           'tags', coalesce(p.settings -> 'tags', '[]'),
           'clusters', project_clusters(p.id))::text AS document
FROM project p JOIN organization o ON o.id = p.org_id;
GRANT SELECT ON project_overview TO reeve_reader, reeve_tenant;
