-- One private endpoint service of a provider as the API shows it; its revision is that of what is shown.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM private_endpoint_service s, LATERAL (SELECT private_endpoint_service_json(s) AS document) d
WHERE s.project_id = :project AND s.id = :id AND s.provider = :provider
