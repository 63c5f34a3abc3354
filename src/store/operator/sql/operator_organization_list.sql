-- A page of all organizations, oldest first: one (:organization), those whose name contains a text (:name), those that are locked (:locked).
-- scope: none, because operators look after all organizations
WITH wanted AS (
    SELECT * FROM organization o
    WHERE (:organization::bytea IS NULL OR o.id = :organization) AND position(lower(:name) IN lower(o.name)) > 0
      AND (:locked::boolean IS NULL OR :locked = (o.locked_at IS NOT NULL)))
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT o.id, encode(o.id, 'hex') AS key, json_strip_nulls(json_build_object(
        'id', encode(o.id, 'hex'), 'name', o.name, 'createdAt', api_date(o.created_at), 'locked', o.locked_at IS NOT NULL,
        'lockedAt', api_date(o.locked_at), 'lockReason', o.lock_reason, 'lockInvoiceId', encode(o.lock_invoice, 'hex'),
        'paymentAgreedUntil', api_date(o.payment_agreed_until),
        'projects', (SELECT count(*) FROM project r WHERE r.org_id = o.id),
        'clusters', (SELECT count(*) FROM cluster r WHERE r.org_id = o.id)))::text AS document
    FROM wanted o ORDER BY o.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.id
