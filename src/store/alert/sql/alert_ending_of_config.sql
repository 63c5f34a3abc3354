-- All alerts of a configuration that last and are not closed, held until the transaction ends.
-- scope: project $1
SELECT encode(a.id, 'hex') FROM alert a WHERE a.project_id = $1 AND a.config_id = $2 AND a.lasts AND a.status <> 'CLOSED'
ORDER BY a.id LIMIT $3::bigint FOR NO KEY UPDATE
