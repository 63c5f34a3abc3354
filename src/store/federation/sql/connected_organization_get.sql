-- How one organization uses its federation.
-- scope: organization :organization
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT connected_organization_json(c.org_id)::text AS document FROM connected_organization c WHERE c.org_id = :organization) d
