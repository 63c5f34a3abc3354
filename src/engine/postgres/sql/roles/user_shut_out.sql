-- Takes a user's login and password.
DO $$ BEGIN EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', current_setting('reeve.role')); END $$
