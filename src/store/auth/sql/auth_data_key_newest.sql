-- The data key that seals what is new in an organization.
-- scope: organization :organization
SELECT d.version, encode(d.sealed, 'hex') AS sealed
  FROM data_key d
 WHERE d.org_id = :organization
 ORDER BY d.version DESC
 LIMIT 1;
