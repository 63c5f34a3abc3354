-- The organizations that share a federation.
-- scope: none, because a federation spans organizations; the caller is checked against each
SELECT encode(o.id, 'hex')
  FROM organization o
 WHERE o.federation_id = $1
 ORDER BY o.id
 LIMIT 10000;
