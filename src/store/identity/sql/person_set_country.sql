-- Notes where a person lives.
-- scope: principal :person
UPDATE person SET country = :country::text WHERE id = :person
