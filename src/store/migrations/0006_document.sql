-- How entities of typed tables look in the API. Views run with the rights of who asks (security_invoker), so that row-level
-- security holds through them.
CREATE FUNCTION api_date(moment timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

CREATE VIEW organization_document WITH (security_invoker = true) AS
SELECT id, name, revision,
       json_build_object(
           'id', encode(id, 'hex'),
           'name', name,
           'isDeleted', false,
           'skipDefaultAlertsSettings', coalesce(settings -> 'skipDefaultAlertsSettings', 'false'))::text AS document
FROM organization;

CREATE VIEW project_document WITH (security_invoker = true) AS
SELECT id, org_id, name, revision,
       json_build_object(
           'id', encode(id, 'hex'),
           'name', name,
           'orgId', encode(org_id, 'hex'),
           'created', api_date(created_at),
           'clusterCount', coalesce((SELECT total FROM list_counter c WHERE c.scope = project.id AND c.kind = 'cluster'), 0),
           'tags', coalesce(settings -> 'tags', '[]'),
           'withDefaultAlertsSettings', coalesce(settings -> 'withDefaultAlertsSettings', 'true'))::text AS document
FROM project;

GRANT SELECT ON organization_document, project_document TO reeve_tenant, reeve_reader;

-- A node asks whether the schema is the one that it was built for.
GRANT SELECT ON schema_migration TO reeve_reader;
