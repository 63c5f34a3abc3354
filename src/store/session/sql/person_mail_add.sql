-- A mail to a person about their own account.
-- scope: principal :person
INSERT INTO person_mail (id, person_id, kind, address) VALUES (:mail, :person, :kind::text, :address::text)
