-- Members must restart for the goal as it is now, or need not any more.
-- scope: organization $1
UPDATE cluster SET restart_generation = CASE WHEN $3::boolean THEN goal_generation ELSE 0 END
WHERE org_id = $1 AND id = $2 RETURNING restart_generation
