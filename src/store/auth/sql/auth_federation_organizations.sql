-- The organizations that share a federation.
-- scope: none, because a federation spans organizations; the caller is checked against each
SELECT encode(o.id, 'hex') AS organization
  FROM organization o
 WHERE o.federation_id = :federation
 ORDER BY o.id
 LIMIT 10000;
