-- What a notification says: the alert, the configuration that raised it when it is still there, the names around it.
-- scope: project :project
SELECT alert_json(a) AS alert, r.document::text AS config, p.name, a.lasts
FROM alert a JOIN project p ON p.id = a.project_id
LEFT JOIN resource r ON r.scope = :project AND r.kind = 'alertConfig' AND r.id = a.config_id
WHERE a.project_id = :project AND a.id = :alert
