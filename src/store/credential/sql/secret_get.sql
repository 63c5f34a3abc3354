-- One secret of a service account, by its masked value.
-- scope: organization $1
SELECT secret_json(s)::text FROM service_account_secret s WHERE s.org_id = $1 AND s.account_id = $2 AND s.id = $3
