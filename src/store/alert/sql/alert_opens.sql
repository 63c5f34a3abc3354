-- An alert whose first notification is due is open, not only tracked.
-- scope: project :project
UPDATE alert SET status = 'OPEN', updated_at = now(), revision = nextval('revision')
WHERE project_id = :project AND id = :alert AND status = 'TRACKING'
