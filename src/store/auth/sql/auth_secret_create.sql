-- Adds a secret to a service account of the organization.
-- scope: organization :organization
INSERT INTO service_account_secret (id, account_id, org_id, mac, pepper_version, mask, expires_at)
SELECT :id, a.id, a.org_id, :mac, :pepper_version::int, :mask::text, to_timestamp(:expires_at_ms::bigint / 1000.0)
  FROM service_account a
 WHERE a.org_id = :organization AND a.id = :account;
