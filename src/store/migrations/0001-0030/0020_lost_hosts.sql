-- Restarts that settings need, and hosts that are lost.
-- was: e892d50887c721151d9338a75acc52106a233ea99f9c99e0466d562dfabdcb74

ALTER TABLE cluster ADD COLUMN restart_generation bigint NOT NULL DEFAULT 0; -- the goal that members must restart for; 0: none
