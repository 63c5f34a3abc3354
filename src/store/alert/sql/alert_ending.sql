-- Alerts of a configuration that last and are not closed, of one cluster or of none, held until the transaction ends.
-- scope: project $1
SELECT encode(a.id, 'hex') FROM alert a
WHERE a.project_id = $1 AND a.config_id = $2 AND a.lasts AND a.status <> 'CLOSED' AND a.cluster IS NOT DISTINCT FROM $3
ORDER BY a.id FOR NO KEY UPDATE
