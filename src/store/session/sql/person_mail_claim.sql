-- Takes the mail to a person that is due first; nobody else takes it while its lease lasts, and later tries are further apart.
-- scope: none, because workers send whatever is due
WITH due AS (
    SELECT m.id FROM person_mail m WHERE m.due_at <= now() ORDER BY m.due_at, m.id LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE person_mail m SET tries = m.tries + 1, due_at = now() + least(m.tries + 1, 60) * interval '1 minute'
  FROM due, person n
 WHERE m.id = due.id AND n.id = m.person_id
RETURNING encode(m.id, 'hex') AS mail, m.kind, m.address, api_date(m.created_at) AS created, n.username
