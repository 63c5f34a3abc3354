-- The session may take as long as it takes.
SET statement_timeout = 0;
SET lock_timeout = 0;
