-- Takes everything away that a person signs in with.
-- scope: principal :person
WITH keys AS (DELETE FROM passkey k WHERE k.person_id = :person), words AS (DELETE FROM password w WHERE w.person_id = :person)
SELECT n.username FROM person n WHERE n.id = :person
