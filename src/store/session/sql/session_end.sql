-- Ends a session of a person.
-- scope: principal :person
DELETE FROM console_session WHERE id = :session AND person_id = :person
