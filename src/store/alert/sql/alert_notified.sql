-- Records when somebody was last told of an alert.
-- scope: project $1
UPDATE alert SET last_notified_at = now(), revision = nextval('revision') WHERE project_id = $1 AND id = $2
