-- One network container as the API shows it; its revision is that of what is shown.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM network_container n, LATERAL (SELECT container_json(n, container_is_used(n)) AS document) d
WHERE n.project_id = :project AND n.id = :container
