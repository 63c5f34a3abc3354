-- One project as the API shows it.
-- scope: organization $1
SELECT document, revision FROM project_document WHERE org_id = $1 AND id = $2
