-- Makes the cursor of a project when it has none, at the newest event, and holds it: nothing is raised meanwhile. Returns the place of the project's newest event;
-- nothing when the organization has no such project.
-- scope: organization :organization
WITH newest AS (SELECT coalesce((SELECT c.seq FROM event_count_of_project c WHERE c.project_id = :project), 0) AS seq)
INSERT INTO alert_cursor AS a (org_id, project_id, project_seq)
SELECT p.org_id, p.id, n.seq FROM newest n, project p WHERE p.org_id = :organization AND p.id = :project
ON CONFLICT (project_id) DO UPDATE SET project_seq = a.project_seq WHERE a.org_id = excluded.org_id
RETURNING (SELECT n.seq FROM newest n) AS newest_seq
