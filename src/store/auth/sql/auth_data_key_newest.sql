-- The data key that seals what is new in an organization.
-- scope: organization $1
SELECT d.version, encode(d.sealed, 'hex')
  FROM data_key d
 WHERE d.org_id = $1
 ORDER BY d.version DESC
 LIMIT 1;
