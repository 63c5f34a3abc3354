-- One open invitation as the API shows it; with $3 only when it grants a role in that project.
-- scope: organization $1
SELECT d.document, text_revision(d.document)
FROM invitation i, LATERAL (SELECT invitation_json($1, i.id, $3::bytea) AS document) d
WHERE i.org_id = $1 AND i.id = $2 AND i.accepted_at IS NULL
  AND ($3::bytea IS NULL OR EXISTS (SELECT 1 FROM invitation_role r
                                    WHERE r.org_id = $1 AND r.invitation_id = i.id AND r.project_id = $3::bytea))
