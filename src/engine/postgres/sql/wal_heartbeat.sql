-- Commits something that nobody sees: a moment can be restored only if a transaction was committed after it, and a database may have nothing to do for hours.
SELECT pg_logical_emit_message(true, 'reeve', '')
