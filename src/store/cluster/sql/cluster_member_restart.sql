-- Asks for a restart, unless one for the same purpose ($3) was asked for, or the number ($4) has moved on.
-- scope: organization $1
UPDATE cluster_member SET restart_nonce = restart_nonce + 1, restart_goal = greatest(restart_goal, $3::bigint)
WHERE org_id = $1 AND id = $2 AND (restart_goal < $3::bigint OR restart_nonce = $4::bigint)
