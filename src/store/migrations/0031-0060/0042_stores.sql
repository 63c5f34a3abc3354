-- Repositories in object stores (docs/internals/backups.md): which repository hosts keep what they receive in which store.

ALTER TABLE object_store ADD COLUMN lock_days int CHECK (lock_days > 0); -- for how long the bucket itself locks whatever is written; NULL: it does not

ALTER TABLE host       ADD COLUMN object_store text REFERENCES object_store (name); -- for seats that are placed from now on; NULL: its disk
ALTER TABLE join_token ADD COLUMN object_store text REFERENCES object_store (name) ON DELETE CASCADE;
CREATE INDEX stanza_seat_of_store ON stanza_seat (object_store) WHERE object_store IS NOT NULL;
