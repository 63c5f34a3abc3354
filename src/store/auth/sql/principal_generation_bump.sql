-- Ends every token of a principal.
-- scope: principal :principal
UPDATE principal SET generation = generation + 1, revision = nextval('revision') WHERE id = :principal;
