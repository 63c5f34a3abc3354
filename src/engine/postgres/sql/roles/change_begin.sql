-- Begins a change of a role that somebody may hold on to: nobody waits for them.
BEGIN;
SET LOCAL lock_timeout = '250ms';
