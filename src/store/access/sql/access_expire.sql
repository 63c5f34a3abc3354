-- Removes a temporary database user, access list entry or session of support staff, if its time is over, and returns what it was.
-- scope: project :project
DELETE FROM resource WHERE scope = :project AND kind = :kind AND id = :resource AND document ->> 'deleteAfterDate' <= api_date(now())
RETURNING (document - 'verifier')::text AS document, name, document ->> 'clusterName' AS cluster
