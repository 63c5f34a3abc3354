-- The change was not made.
ROLLBACK
