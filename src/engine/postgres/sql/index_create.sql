-- Builds an index, and lets those who write go on. "columns" are quoted already.
CREATE :unique INDEX CONCURRENTLY IF NOT EXISTS :"index" ON :"schema".:"table" (:columns)
