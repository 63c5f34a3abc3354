-- All alerts of a configuration that last and are not closed, held until the transaction ends.
-- scope: project :project
SELECT encode(a.id, 'hex') AS alert FROM alert a WHERE a.project_id = :project AND a.config_id = :config AND a.lasts AND a.status <> 'CLOSED'
ORDER BY a.id LIMIT :limit::bigint FOR NO KEY UPDATE
