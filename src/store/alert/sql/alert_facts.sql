-- What a notification says: the alert, the configuration that raised it when it is still there, the names around it.
-- scope: project $1
SELECT alert_json(a), r.document::text, p.name, a.lasts
FROM alert a JOIN project p ON p.id = a.project_id
LEFT JOIN resource r ON r.scope = $1 AND r.kind = 'alertConfig' AND r.id = a.config_id
WHERE a.project_id = $1 AND a.id = $2
