-- One project by its name, among those of a caller who may read all of the organizations in the JSON list $3, and elsewhere those in
-- which it holds a role (with the JSON list $5 in those organizations only). The caller's own organization $4 comes first.
-- scope: principal $1
SELECT encode(d.id, 'hex'), d.document, d.revision
FROM (SELECT i.id, i.org_id FROM jsonb_array_elements_text($3::jsonb) AS named (id)
      JOIN project i ON i.org_id = decode(named.id, 'hex') AND i.name = $2
      UNION
      SELECT i.id, i.org_id FROM held_grant g JOIN project i ON i.org_id = g.org_id AND i.id = g.project_id
      WHERE g.principal_id = $1 AND i.name = $2 AND ($5::jsonb IS NULL OR $5::jsonb ? encode(g.org_id, 'hex'))) found
JOIN project_document d ON d.org_id = found.org_id AND d.id = found.id
ORDER BY d.org_id IS NOT DISTINCT FROM $4::bytea DESC, d.id LIMIT 1
