-- A snapshot that somebody asks for; its repository hosts find it in their goals. Nothing when the stanza is not open.
-- scope: project :project
INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, description, expires_at, protected_until)
SELECT :snapshot, t.org_id, t.project_id, t.cluster_id, t.id, 'ON_DEMAND', :description, to_timestamp(:expires_ms::bigint / 1000.0),
       backup_protection(t.project_id, to_timestamp(:expires_ms::bigint / 1000.0))
FROM backup_stanza t WHERE t.project_id = :project AND t.id = :stanza AND t.state = 'OPEN'
