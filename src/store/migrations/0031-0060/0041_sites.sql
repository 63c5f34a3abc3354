-- Copies of a cluster's backups in other regions (docs/internals/backups-control-plane.md#sites): a stanza may have several seats.

ALTER TABLE stanza_seat DROP CONSTRAINT stanza_seat_ordinal_check;
ALTER TABLE stanza_seat ADD CONSTRAINT stanza_seat_ordinal_check CHECK (ordinal BETWEEN 0 AND 7); -- names its slot on members
ALTER TABLE stanza_seat ADD COLUMN is_copy boolean NOT NULL DEFAULT false; -- takes only what copySettings of the schedule say for its region
ALTER TABLE stanza_seat ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
UPDATE stanza_seat SET is_copy = true WHERE ordinal > 0;

DROP FUNCTION IF EXISTS seat_place(bytea, integer, text, text, integer);
DROP FUNCTION IF EXISTS backup_schedule_goal(bytea, bytea);
