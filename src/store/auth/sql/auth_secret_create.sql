-- Adds a secret to a service account of the organization.
-- scope: organization $1
INSERT INTO service_account_secret (id, account_id, org_id, mac, pepper_version, mask, expires_at)
SELECT $3, a.id, a.org_id, $4, $5::int, $6::text, to_timestamp($7::bigint / 1000.0)
  FROM service_account a
 WHERE a.org_id = $1 AND a.id = $2;
