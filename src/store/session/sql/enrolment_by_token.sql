-- Whose first passkey a token is for.
-- scope: none, because whoever holds the token is not known yet; it is 256 bits that cannot be guessed
SELECT encode(n.id, 'hex') AS person, n.username
  FROM enrolment e
  JOIN person n ON n.id = e.person_id
 WHERE e.mac = :mac AND e.expires_at > now() AND NOT EXISTS (SELECT FROM passkey k WHERE k.person_id = e.person_id)
