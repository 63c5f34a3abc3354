-- One endpoint of a private endpoint service as the API shows it; its revision is that of what is shown.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM private_endpoint_service s JOIN private_endpoint e ON e.service_id = s.id, LATERAL (SELECT private_endpoint_json(e) AS document) d
WHERE s.project_id = :project AND s.id = :id AND s.provider = :provider AND e.name = :name
