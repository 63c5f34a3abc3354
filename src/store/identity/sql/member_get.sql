-- One member of an organization, active or invited, as the API shows it; with $3 only when there is a role in that project.
-- scope: organization $1
SELECT d.document, text_revision(d.document), m.status
FROM member m, LATERAL (SELECT member_json($1, m.id, $3::bytea) AS document) d
WHERE m.org_id = $1 AND m.id = $2
  AND ($3::bytea IS NULL
       OR EXISTS (SELECT 1 FROM member_role r WHERE r.org_id = $1 AND r.id = m.id AND r.project_id = $3::bytea))
