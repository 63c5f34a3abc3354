-- Removes a temporary database user or access list entry, if its time is over, and returns what it was.
-- scope: project $1
DELETE FROM resource WHERE scope = $1 AND kind = $2 AND id = $3 AND document ->> 'deleteAfterDate' <= api_date(now())
RETURNING (document - 'verifier')::text, name
