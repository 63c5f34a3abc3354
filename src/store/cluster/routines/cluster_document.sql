-- How a cluster looks in the API: what was asked for, and what is known of it.
CREATE OR REPLACE VIEW cluster_document WITH (security_invoker = true) AS
SELECT r.scope, r.kind, r.id, r.name, r.org_id, r.state, r.generation, r.observed_generation,
       (r.document - 'processArgs' - 'libraries' - 'pin' - 'vendorEmployeeAccessGrant'
        || jsonb_build_object(
            'id', encode(r.id, 'hex'),
            'groupId', encode(r.scope, 'hex'),
            'name', r.name,
            'stateName', r.state,
            'versionReleaseSystem', 'LTS', -- there is no other: a cluster keeps its major version
            'createDate', api_date(r.created_at),
            'connectionStrings', cluster_connection_strings(r.id),
            'generation', r.generation,
            'observedGeneration', r.observed_generation)
        || CASE WHEN r.kind = 'cluster' THEN jsonb_strip_nulls(jsonb_build_object(
               'backupEnabled', coalesce(r.document -> 'backupEnabled', 'false'),
               'pitEnabled', coalesce(r.document -> 'pitEnabled', 'false'),
               'featureCompatibilityVersion', CASE WHEN document_in_force(r.document -> 'pin', 'until')
                                                   THEN r.document -> 'pin' ->> 'version' ELSE c.major_version END,
               'featureCompatibilityVersionExpirationDate', CASE WHEN document_in_force(r.document -> 'pin', 'until')
                                                                 THEN r.document -> 'pin' ->> 'until' END,
               'vendorEmployeeAccessGrant', CASE WHEN document_in_force(r.document -> 'vendorEmployeeAccessGrant', 'expirationTime')
                                                 THEN r.document -> 'vendorEmployeeAccessGrant' END))
           ELSE '{}' END
        || jsonb_strip_nulls(jsonb_build_object('dbVersion', (
               SELECT m.version FROM cluster_member m WHERE m.cluster_id = r.id AND m.version IS NOT NULL
               ORDER BY m.role = 'PRIMARY' DESC, m.ordinal LIMIT 1))))::text AS document
FROM resource r JOIN cluster c ON c.id = r.id
WHERE r.kind IN ('cluster', 'flexCluster');
GRANT SELECT ON cluster_document TO reeve_reader, reeve_tenant;
