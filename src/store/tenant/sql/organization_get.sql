-- One organization as the API shows it.
-- scope: organization :organization
SELECT document, revision FROM organization_document WHERE id = :organization
