-- What the server thinks of a statement, with its parameters left open. The plan is told by debug_print_plan; what the role may not read is refused after that.
-- The transaction is never ended well: whatever a function has set in the session is undone with it.
BEGIN READ ONLY; SET LOCAL debug_print_plan = on; EXPLAIN (GENERIC_PLAN) :statement
