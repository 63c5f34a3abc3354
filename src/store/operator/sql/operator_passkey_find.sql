-- A passkey of an operator by the authenticator's id of it. Not when the operator's days are over.
-- scope: none, because operators belong to no organization
SELECT encode(k.id, 'hex') AS passkey, encode(k.operator_id, 'hex') AS operator, o.name, encode(k.public_key, 'hex') AS public_key, k.counter
  FROM operator_passkey k
  JOIN operator o ON o.id = k.operator_id
 WHERE k.credential = :credential AND o.expires_at > now()
