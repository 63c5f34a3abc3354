-- Temporary database users, access list entries and sessions of support staff whose time is over, the longest first.
-- scope: none, because the worker looks for those of all organizations and removes each in a transaction of its own
SELECT encode(e.org_id, 'hex') AS organization, encode(e.scope, 'hex') AS project, e.kind, encode(e.id, 'hex') AS resource, e.name
FROM ((SELECT org_id, scope, kind, id, name, document FROM resource
       WHERE kind IN ('databaseUser', 'accessListEntry') AND document ->> 'deleteAfterDate' IS NOT NULL
         AND (document ->> 'deleteAfterDate') COLLATE "C" <= api_date(now())
       ORDER BY (document ->> 'deleteAfterDate') COLLATE "C" LIMIT 100)
      UNION ALL
      (SELECT org_id, scope, kind, id, name, document FROM resource
       WHERE kind = 'supportSession' AND (document ->> 'deleteAfterDate') COLLATE "C" <= api_date(now())
       ORDER BY (document ->> 'deleteAfterDate') COLLATE "C" LIMIT 100)) e
ORDER BY (e.document ->> 'deleteAfterDate') COLLATE "C" LIMIT 100
