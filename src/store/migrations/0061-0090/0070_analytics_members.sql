-- Members for analytics: beside those that may become the primary and those that only answer reads. Applications are not led to them.
ALTER TABLE cluster_member ADD COLUMN analytics boolean NOT NULL DEFAULT false;

DROP FUNCTION IF EXISTS cluster_members(bytea); -- its rows have one more column
