-- From now on a compliance policy protects all snapshots of the project until they expire.
-- scope: project :project
UPDATE snapshot SET protected_until = expires_at
WHERE project_id = :project AND hidden_at IS NULL AND (protected_until IS NULL OR protected_until < expires_at)
