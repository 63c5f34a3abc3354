-- Tables of a cluster that are always measured, whether they do anything or not: a list of names as database.table or database.schema.table.
ALTER TABLE cluster ADD COLUMN pinned_tables jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(pinned_tables) = 'array');
