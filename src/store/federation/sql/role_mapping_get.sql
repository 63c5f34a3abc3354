-- One role mapping of an organization.
-- scope: organization :organization
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT role_mapping_json(m)::text AS document FROM role_mapping m WHERE m.org_id = :organization AND m.id = :mapping) d
