-- One project by its name, among those of an organization.
-- scope: organization $1
SELECT encode(id, 'hex'), document, revision FROM project_document WHERE org_id = $1 AND name = $2
