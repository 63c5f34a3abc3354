-- Gives a webhook back that has nothing more to tell.
-- scope: organization :organization
UPDATE webhook SET lease_until = NULL, next_try_at = now() WHERE org_id = :organization AND id = :webhook AND lease_epoch = :epoch::bigint
