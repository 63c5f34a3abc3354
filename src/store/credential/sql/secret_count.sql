-- How many secrets of a service account have not expired.
-- scope: organization $1
SELECT count(*) FROM service_account_secret WHERE org_id = $1 AND account_id = $2 AND expires_at > now()
