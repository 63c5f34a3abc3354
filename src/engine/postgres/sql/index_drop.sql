-- Drops an index, and lets those who write go on.
DROP INDEX CONCURRENTLY IF EXISTS :"schema".:"index"
