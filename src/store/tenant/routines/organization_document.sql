-- How an organization looks in the API. Views of documents run with the rights of who asks (security_invoker), so that
-- row-level security holds through them.
CREATE OR REPLACE VIEW organization_document WITH (security_invoker = true) AS
SELECT id, name, revision,
       json_build_object(
           'id', encode(id, 'hex'),
           'name', name,
           'isDeleted', false,
           'skipDefaultAlertsSettings', coalesce(settings -> 'skipDefaultAlertsSettings', 'false'))::text AS document
FROM organization;
GRANT SELECT ON organization_document TO reeve_reader, reeve_tenant;
