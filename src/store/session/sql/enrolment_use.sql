-- Uses up a token, once. Not for somebody who has a passkey by now.
-- scope: principal :person
DELETE FROM enrolment e
 WHERE e.mac = :mac AND e.person_id = :person AND e.expires_at > now() AND NOT EXISTS (SELECT FROM passkey k WHERE k.person_id = e.person_id)
