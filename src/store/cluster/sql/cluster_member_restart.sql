-- Asks for a restart, unless one for the same purpose (:goal) was asked for, or the number (:nonce) has moved on.
-- scope: organization :organization
UPDATE cluster_member SET restart_nonce = restart_nonce + 1, restart_goal = greatest(restart_goal, :goal::bigint)
WHERE org_id = :organization AND id = :member AND (restart_goal < :goal::bigint OR restart_nonce = :nonce::bigint)
