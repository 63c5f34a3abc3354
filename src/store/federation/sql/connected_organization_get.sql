-- How one organization uses its federation.
-- scope: organization $1
SELECT d.document, text_revision(d.document)
FROM (SELECT connected_organization_json(c.org_id)::text AS document FROM connected_organization c WHERE c.org_id = $1) d
