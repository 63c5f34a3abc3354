-- The slowest run of each statement is counted from now on; everything else goes on.
DO $$ BEGIN PERFORM reeve_advisor.pg_stat_statements_reset(0, 0, 0, true); END $$
