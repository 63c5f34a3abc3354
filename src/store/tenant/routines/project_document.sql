-- How a project looks in the API. Flex clusters count as well.
CREATE OR REPLACE VIEW project_document WITH (security_invoker = true) AS
SELECT id, org_id, name, revision,
       json_build_object(
           'id', encode(id, 'hex'),
           'name', name,
           'orgId', encode(org_id, 'hex'),
           'created', api_date(created_at),
           'clusterCount', coalesce((SELECT sum(total) FROM list_counter c
                                     WHERE c.scope = project.id AND c.kind IN ('cluster', 'flexCluster')), 0),
           'tags', coalesce(settings -> 'tags', '[]'),
           'withDefaultAlertsSettings', coalesce(settings -> 'withDefaultAlertsSettings', 'true'))::text AS document
FROM project;
GRANT SELECT ON project_document TO reeve_reader, reeve_tenant;
