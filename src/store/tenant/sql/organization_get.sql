-- One organization as the API shows it.
-- scope: organization $1
SELECT document, revision FROM organization_document WHERE id = $1
