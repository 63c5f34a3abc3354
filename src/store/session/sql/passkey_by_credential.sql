-- A passkey by the authenticator's id of it, and whose it is.
-- scope: none, because whoever shows it is not known yet; what counts is the signature
SELECT encode(k.id, 'hex') AS passkey, encode(k.person_id, 'hex') AS person, n.username, encode(k.public_key, 'hex') AS public_key, k.counter
  FROM passkey k
  JOIN person n ON n.id = k.person_id
 WHERE k.credential = :credential
