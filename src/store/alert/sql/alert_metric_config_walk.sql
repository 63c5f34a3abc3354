-- Configurations about what is measured that are switched on, by project: a page behind a place.
-- scope: none, because the worker serves all organizations; it takes each project in a transaction of its organization
SELECT encode(r.org_id, 'hex') AS organization, encode(r.scope, 'hex') AS project, encode(r.id, 'hex') AS config,
       r.document ->> 'metricThreshold' AS threshold, r.document ->> 'matchers' AS matchers
FROM resource r
WHERE r.kind = 'alertConfig' AND r.document ->> 'eventTypeName' = 'OUTSIDE_METRIC_THRESHOLD' AND (r.document ->> 'enabled')::boolean
  AND (r.scope, r.id) > (:project, :after)
ORDER BY r.scope, r.id LIMIT :limit::bigint
