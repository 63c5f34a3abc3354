-- Makes the authority that signs certificates of a project's database users.
-- scope: project :project
INSERT INTO authority (id, purpose, project_id, org_id, certificate, key, not_after)
VALUES (:id, 'PROJECT', :project, :organization, :certificate, :sealed_key, to_timestamp(:not_after_ms::bigint / 1000.0))
