-- Takes the password of a person away, if they have a passkey to sign in with. Others wait: person_lock was first.
-- scope: principal :person
DELETE FROM password w WHERE w.person_id = :person AND EXISTS (SELECT FROM passkey k WHERE k.person_id = w.person_id)
