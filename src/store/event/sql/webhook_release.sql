-- Gives a webhook back that has nothing more to tell.
-- scope: organization $1
UPDATE webhook SET lease_until = NULL, next_try_at = now() WHERE org_id = $1 AND id = $2 AND lease_epoch = $3::bigint
