-- One secret of a service account, by its masked value.
-- scope: organization :organization
SELECT secret_json(s)::text AS document FROM service_account_secret s WHERE s.org_id = :organization AND s.account_id = :account AND s.id = :secret
