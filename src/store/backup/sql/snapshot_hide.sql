-- Deletes a snapshot for whoever looks; its copies go when nothing needs them. Not while it is protected.
-- scope: project :project
UPDATE snapshot SET hidden_at = now()
WHERE project_id = :project AND id = :snapshot AND hidden_at IS NULL AND (protected_until IS NULL OR protected_until <= now())
