-- Takes the notice that is due first; nobody else takes it while its lease lasts, and later tries are further apart. An address gets one mail in ten minutes, whichever
-- organizations name it.
-- scope: none, because workers send whatever is due
WITH due AS (
    SELECT n.org_id, n.recipient FROM security_notice n
    WHERE n.last_seq > n.told_seq AND n.due_at <= now()
      AND NOT EXISTS (SELECT FROM security_notice o WHERE lower(o.recipient) = lower(n.recipient) AND o.told_at > now() - interval '10 minutes')
    ORDER BY n.due_at, n.org_id, n.recipient LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE security_notice n SET tries = n.tries + 1, due_at = now() + least(n.tries + 1, 60) * interval '1 minute'
  FROM due
 WHERE n.org_id = due.org_id AND n.recipient = due.recipient
RETURNING encode(n.org_id, 'hex') AS organization, n.recipient, n.told_seq, n.last_seq
