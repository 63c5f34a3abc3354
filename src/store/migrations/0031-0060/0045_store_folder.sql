-- Below the path of its object store, what a seat keeps is in a folder of its own: the next seat of the same stanza must not write into what a lost host has left there.
-- NULL: seats from before that have "<stanza>-<ordinal>".
ALTER TABLE stanza_seat ADD COLUMN store_folder text CHECK (store_folder ~ '^[0-9a-z-]{1,100}$');
