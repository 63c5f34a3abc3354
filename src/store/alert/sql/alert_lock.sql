-- One alert as the API shows it, held until the transaction ends.
-- scope: project $1
SELECT alert_json(a), a.revision, a.status FROM alert a WHERE a.project_id = $1 AND a.id = $2 FOR NO KEY UPDATE
