-- Whose first passkey or password a token is for, or who lost theirs.
-- scope: none, because whoever holds the token is not known yet; it is 256 bits that cannot be guessed
SELECT encode(n.id, 'hex') AS person, n.username, e.is_recovery
  FROM enrolment e
  JOIN person n ON n.id = e.person_id
 WHERE e.mac = :mac AND e.expires_at > now()
   AND (e.is_recovery OR NOT (EXISTS (SELECT FROM passkey k WHERE k.person_id = e.person_id) OR EXISTS (SELECT FROM password w WHERE w.person_id = e.person_id)))
