-- Members must restart for the goal as it is now, or need not any more.
-- scope: organization :organization
UPDATE cluster SET restart_generation = CASE WHEN :is_required::boolean THEN goal_generation ELSE 0 END
WHERE org_id = :organization AND id = :cluster RETURNING restart_generation
