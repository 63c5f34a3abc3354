-- One project by its name, among those in which a caller holds a role of its own; with the JSON list :reach in those organizations only.
-- scope: principal :caller
SELECT encode(d.id, 'hex') AS id, d.document, d.revision
FROM project_document d
WHERE d.name = :name
  AND EXISTS (SELECT 1 FROM held_grant g WHERE g.principal_id = :caller AND g.project_id = d.id AND g.org_id = d.org_id
                AND (:reach::jsonb IS NULL OR :reach::jsonb ? encode(g.org_id, 'hex')))
ORDER BY d.id LIMIT 1
