-- One alert as the API shows it.
-- scope: project $1
SELECT alert_json(a), a.revision FROM alert a WHERE a.project_id = $1 AND a.id = $2
