-- The credential is another one now: its ETag moves.
-- scope: organization :organization
UPDATE principal SET revision = nextval('revision') WHERE org_id = :organization AND id = :credential RETURNING revision
