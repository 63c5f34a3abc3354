-- Simulated outages whose time is over and that nobody has ended, the longest first.
-- scope: none, because the worker looks for those of all organizations and ends each in a transaction of its own
SELECT encode(o.org_id, 'hex') AS organization, encode(o.scope, 'hex') AS project, o.name FROM resource o
WHERE o.kind = 'outageSimulation' AND o.state IN ('START_REQUESTED', 'STARTING', 'SIMULATING')
  AND (o.document ->> 'expirationDate') COLLATE "C" <= api_date(now())
ORDER BY (o.document ->> 'expirationDate') COLLATE "C" LIMIT 100
