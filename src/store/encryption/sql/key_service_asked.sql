-- Gives a project's key service back until its next turn, and says whether it answered quickly.
-- scope: none, because the worker serves all organizations
UPDATE key_service_ask SET lease_until = NULL, is_proven = :proven::boolean WHERE project_id = :project RETURNING is_proven
