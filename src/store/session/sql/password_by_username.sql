-- What is kept of the password of somebody by their user name, and whether they have a passkey as well. A row without a hash: they have no password.
-- scope: none, because whoever says it is not known yet; what counts is the password
SELECT encode(n.id, 'hex') AS person, n.username, w.hash, EXISTS (SELECT FROM passkey k WHERE k.person_id = n.id) AS has_passkey
  FROM person n
  LEFT JOIN password w ON w.person_id = n.id
 WHERE lower(n.username) = lower(:username::text)
