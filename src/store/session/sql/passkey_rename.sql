-- Gives a passkey of a person another name.
-- scope: principal :person
UPDATE passkey SET name = :name::text WHERE id = :passkey AND person_id = :person
