-- One project by its name, among those of a caller who may read all of the organizations in the JSON list :organizations, and elsewhere those in
-- which it holds a role (with the JSON list :reach in those organizations only). The caller's own organization :own_organization comes first.
-- scope: principal :caller
SELECT encode(d.id, 'hex') AS id, d.document, d.revision
FROM (SELECT i.id, i.org_id FROM jsonb_array_elements_text(:organizations::jsonb) AS named (id)
      JOIN project i ON i.org_id = decode(named.id, 'hex') AND i.name = :name
      UNION
      SELECT i.id, i.org_id FROM held_grant g JOIN project i ON i.org_id = g.org_id AND i.id = g.project_id
      WHERE g.principal_id = :caller AND i.name = :name AND (:reach::jsonb IS NULL OR :reach::jsonb ? encode(g.org_id, 'hex'))) found
JOIN project_document d ON d.org_id = found.org_id AND d.id = found.id
ORDER BY d.org_id IS NOT DISTINCT FROM :own_organization::bytea DESC, d.id LIMIT 1
