-- The change was made.
COMMIT
