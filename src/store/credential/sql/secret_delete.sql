-- Ends one secret of a service account.
-- scope: organization :organization
DELETE FROM service_account_secret WHERE org_id = :organization AND account_id = :account AND id = :secret
