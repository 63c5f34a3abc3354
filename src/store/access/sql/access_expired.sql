-- Temporary database users and access list entries whose time is over, the longest first.
-- scope: none, because the worker looks for those of all organizations and removes each in a transaction of its own
SELECT encode(org_id, 'hex') AS organization, encode(scope, 'hex') AS project, kind, encode(id, 'hex') AS resource, name FROM resource
WHERE kind IN ('databaseUser', 'accessListEntry') AND document ->> 'deleteAfterDate' IS NOT NULL
  AND (document ->> 'deleteAfterDate') COLLATE "C" <= api_date(now())
ORDER BY (document ->> 'deleteAfterDate') COLLATE "C" LIMIT 100
