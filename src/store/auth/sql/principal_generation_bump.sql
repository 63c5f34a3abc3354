-- Ends every token of a principal.
-- scope: principal $1
UPDATE principal SET generation = generation + 1, revision = nextval('revision') WHERE id = $1;
