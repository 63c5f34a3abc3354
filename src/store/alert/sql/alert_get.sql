-- One alert as the API shows it.
-- scope: project :project
SELECT alert_json(a) AS document, a.revision FROM alert a WHERE a.project_id = :project AND a.id = :alert
