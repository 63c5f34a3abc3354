-- Takes away those roles of a person that are not in a JSON list of {project, role}, of one part: 'organization', 'projects', or
-- one project.
-- scope: organization :organization
DELETE FROM role_grant g
WHERE g.org_id = :organization AND g.principal_id = :member
  AND CASE :part::text WHEN 'organization' THEN g.project_id IS NULL
                    WHEN 'projects' THEN g.project_id IS NOT NULL
                    ELSE encode(g.project_id, 'hex') = :part::text END
  AND NOT EXISTS (SELECT 1 FROM jsonb_to_recordset(:kept::jsonb) AS kept(project text, role text)
                  WHERE kept.role = g.role AND kept.project IS NOT DISTINCT FROM encode(g.project_id, 'hex'))
