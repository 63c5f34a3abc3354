-- One role mapping of an organization.
-- scope: organization $1
SELECT d.document, text_revision(d.document)
FROM (SELECT role_mapping_json(m)::text AS document FROM role_mapping m WHERE m.org_id = $1 AND m.id = $2) d
