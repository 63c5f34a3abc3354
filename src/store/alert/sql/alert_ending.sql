-- Alerts of a configuration that last and are not closed, of one cluster or of none, held until the transaction ends.
-- scope: project :project
SELECT encode(a.id, 'hex') AS alert FROM alert a
WHERE a.project_id = :project AND a.config_id = :config AND a.lasts AND a.status <> 'CLOSED' AND a.cluster IS NOT DISTINCT FROM :cluster
ORDER BY a.id FOR NO KEY UPDATE
