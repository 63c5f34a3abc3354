-- Which operator's first passkey a token is for.
-- scope: none, because operators belong to no organization
SELECT encode(o.id, 'hex') AS operator, o.name
  FROM operator_enrolment e
  JOIN operator o ON o.id = e.operator_id
 WHERE e.mac = :mac AND e.expires_at > now() AND o.expires_at > now()
   AND NOT EXISTS (SELECT FROM operator_passkey k WHERE k.operator_id = e.operator_id)
