-- Faults of what is kept (docs/internals/backups.md): what was told about a seat, so that each is told once.

ALTER TABLE stanza_seat ADD COLUMN failing_since timestamptz; -- since when its host says that something is wrong; NULL: nothing is
ALTER TABLE stanza_seat ADD COLUMN failing_told  boolean NOT NULL DEFAULT false;
ALTER TABLE stanza_seat ADD COLUMN losses_told   text[] NOT NULL DEFAULT '{}'; -- keys of seat_losses()
ALTER TABLE stanza_seat ADD COLUMN damaged_since timestamptz; -- when a loss was told; NULL: what is written now can be restored
