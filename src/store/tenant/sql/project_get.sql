-- One project as the API shows it.
-- scope: organization :organization
SELECT document, revision FROM project_document WHERE org_id = :organization AND id = :project
