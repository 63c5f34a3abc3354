-- Ends the sessions of a person, except one.
-- scope: principal :person
DELETE FROM console_session WHERE person_id = :person AND id IS DISTINCT FROM :session
RETURNING encode(id, 'hex') AS session
