-- One project by its name, among those of an organization.
-- scope: organization :organization
SELECT encode(id, 'hex') AS id, document, revision FROM project_document WHERE org_id = :organization AND name = :name
