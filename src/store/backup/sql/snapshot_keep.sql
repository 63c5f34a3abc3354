-- Keeps a snapshot until another moment, NULL: for good; never less long than it is protected. Protection follows.
-- scope: project :project
UPDATE snapshot SET expires_at = to_timestamp(:expires_ms::bigint / 1000.0),
                    protected_until = greatest(protected_until, backup_protection(project_id, to_timestamp(:expires_ms::bigint / 1000.0)))
WHERE project_id = :project AND id = :snapshot AND hidden_at IS NULL
  AND (protected_until IS NULL OR :expires_ms::bigint IS NULL OR protected_until <= to_timestamp(:expires_ms::bigint / 1000.0))
