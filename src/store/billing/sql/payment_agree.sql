-- Sets until when (:until_ms, in milliseconds; NULL: not at all) an organization is not locked for what it owes; no row when that changes nothing.
-- scope: organization :organization
UPDATE organization SET payment_agreed_until = to_timestamp(:until_ms::bigint / 1000)
WHERE id = :organization AND payment_agreed_until IS DISTINCT FROM to_timestamp(:until_ms::bigint / 1000)
RETURNING api_date(payment_agreed_until) AS until
