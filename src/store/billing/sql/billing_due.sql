-- Organizations behind :after for which there is something to bill, open or close.
-- scope: none, because the worker looks for those of all organizations and bills each in a transaction of its own
SELECT encode(d.org_id, 'hex') AS organization
FROM (SELECT s.org_id FROM usage_span s
      WHERE (s.ended_at IS NULL OR s.billed_until < s.ended_at) AND s.billed_until < billing_hour(billing_now())
      UNION
      SELECT s.org_id FROM usage_span s
      WHERE s.ended_at IS NULL AND NOT EXISTS (SELECT FROM invoice i WHERE i.org_id = s.org_id AND i.status = 'PENDING')
      UNION
      SELECT i.org_id FROM invoice i WHERE i.status = 'PENDING' AND i.ends_at <= billing_now() - interval '1 hour') d
WHERE d.org_id > :after ORDER BY d.org_id LIMIT 100
