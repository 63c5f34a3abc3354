-- Whether there is such a person. People belong to no organization.
-- scope: principal $1
SELECT 1 FROM person WHERE id = $1
