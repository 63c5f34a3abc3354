-- One network container as the API shows it; its revision is that of what is shown.
-- scope: project $1
SELECT d.document, text_revision(d.document)
FROM network_container n, LATERAL (SELECT container_json(n, container_is_used(n)) AS document) d
WHERE n.project_id = $1 AND n.id = $2
