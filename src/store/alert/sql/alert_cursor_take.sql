-- Makes the cursor of a project when it has none, at the newest event, and holds it: nothing is raised meanwhile. Returns the place of the project's newest event.
-- scope: organization :organization
WITH newest AS (SELECT coalesce((SELECT c.seq FROM event_count_of_project c WHERE c.project_id = :project), 0) AS seq)
INSERT INTO alert_cursor (org_id, project_id, project_seq) SELECT :organization::bytea, :project::bytea, n.seq FROM newest n
ON CONFLICT (project_id) DO UPDATE SET project_seq = alert_cursor.project_seq
RETURNING (SELECT n.seq FROM newest n) AS newest_seq
