-- Notes where a person lives.
-- scope: principal $1
UPDATE person SET country = $2::text WHERE id = $1
