-- Records when somebody was last told of an alert.
-- scope: project :project
UPDATE alert SET last_notified_at = now(), revision = nextval('revision') WHERE project_id = :project AND id = :alert
