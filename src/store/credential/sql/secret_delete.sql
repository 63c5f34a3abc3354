-- Ends one secret of a service account.
-- scope: organization $1
DELETE FROM service_account_secret WHERE org_id = $1 AND account_id = $2 AND id = $3
