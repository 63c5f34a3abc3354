-- Records how far sending came with some members, [{"member", "sent_ms", "seen_ms"}, …], and keeps the integration for :lease_s seconds more. Nobody who lost it can.
-- Without a status nothing had to be sent.
-- scope: none, because the worker serves all organizations
WITH held AS (
    UPDATE measurement_push SET lease_until = now() + :lease_s::bigint * interval '1 second',
        last_status = coalesce(:status::int, last_status), last_sent_at = CASE WHEN :status::int IS NULL THEN last_sent_at ELSE now() END,
        last_error = CASE WHEN :status::int IS NULL THEN last_error END, failures = CASE WHEN :status::int IS NULL THEN failures ELSE 0 END,
        sent_points = sent_points + :sent::bigint, late_points = late_points + :late::bigint
    WHERE integration_id = :integration AND lease_epoch = :epoch::bigint
    RETURNING integration_id),
placed AS (
    INSERT INTO measurement_push_place AS l (integration_id, member_id, sent_ms, seen_ms)
    SELECT h.integration_id, m.id, x.sent_ms, x.seen_ms
    FROM held h, json_to_recordset(:places::json) AS x(member text, sent_ms bigint, seen_ms bigint)
    JOIN cluster_member m ON m.id = decode(x.member, 'hex')
    ON CONFLICT (integration_id, member_id) DO UPDATE SET sent_ms = excluded.sent_ms, seen_ms = excluded.seen_ms
    RETURNING 1)
SELECT 1 FROM held
