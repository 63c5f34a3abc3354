-- One alert as the API shows it, held until the transaction ends.
-- scope: project :project
SELECT alert_json(a) AS document, a.revision, a.status FROM alert a WHERE a.project_id = :project AND a.id = :alert FOR NO KEY UPDATE
