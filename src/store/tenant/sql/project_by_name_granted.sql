-- One project by its name, among those in which a caller holds a role of its own; with the JSON list $3 in those organizations only.
-- scope: principal $1
SELECT encode(d.id, 'hex'), d.document, d.revision
FROM project_document d
WHERE d.name = $2
  AND EXISTS (SELECT 1 FROM held_grant g WHERE g.principal_id = $1 AND g.project_id = d.id AND g.org_id = d.org_id
                AND ($3::jsonb IS NULL OR $3::jsonb ? encode(g.org_id, 'hex')))
ORDER BY d.id LIMIT 1
