-- Exports that have ended, and of which nobody was told how.
-- scope: none, because the worker tells those of all organizations
SELECT encode(x.id, 'hex') AS export, encode(x.org_id, 'hex') AS organization, encode(x.project_id, 'hex') AS project,
       coalesce((SELECT t.cluster_name FROM backup_stanza t WHERE t.id = x.stanza_id), '') AS cluster_name, x.state, export_json(x) AS document
FROM export_job x WHERE x.finished_at IS NOT NULL AND x.told_at IS NULL ORDER BY x.finished_at, x.id LIMIT :limit::bigint
