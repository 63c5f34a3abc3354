-- Uses up a token, once. Not for somebody who has a passkey or password by now, unless they lost it.
-- scope: principal :person
DELETE FROM enrolment e
 WHERE e.mac = :mac AND e.person_id = :person AND e.expires_at > now()
   AND (e.is_recovery OR NOT (EXISTS (SELECT FROM passkey k WHERE k.person_id = e.person_id) OR EXISTS (SELECT FROM password w WHERE w.person_id = e.person_id)))
RETURNING e.is_recovery
