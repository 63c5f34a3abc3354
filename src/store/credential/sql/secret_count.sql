-- How many secrets of a service account have not expired.
-- scope: organization :organization
SELECT count(*) AS count FROM service_account_secret WHERE org_id = :organization AND account_id = :account AND expires_at > now()
