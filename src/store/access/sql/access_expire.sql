-- Removes a temporary database user or access list entry, if its time is over, and returns what it was.
-- scope: project :project
DELETE FROM resource WHERE scope = :project AND kind = :kind AND id = :resource AND document ->> 'deleteAfterDate' <= api_date(now())
RETURNING (document - 'verifier')::text AS document, name
