-- The credential is another one now: its ETag moves.
-- scope: organization $1
UPDATE principal SET revision = nextval('revision') WHERE org_id = $1 AND id = $2 RETURNING revision
