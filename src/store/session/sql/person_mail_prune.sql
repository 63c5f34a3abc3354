-- Deletes some mails to people that could not be sent for a week, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM person_mail WHERE id IN (
    SELECT id FROM person_mail WHERE created_at < now() - interval '7 days' ORDER BY created_at LIMIT :limit::bigint)
