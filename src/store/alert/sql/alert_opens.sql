-- An alert whose first notification is due is open, not only tracked.
-- scope: project $1
UPDATE alert SET status = 'OPEN', updated_at = now(), revision = nextval('revision')
WHERE project_id = $1 AND id = $2 AND status = 'TRACKING'
