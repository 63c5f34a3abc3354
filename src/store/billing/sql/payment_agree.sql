-- Sets until when ($2, in milliseconds; NULL: not at all) an organization is not locked for what it owes; no row when that changes nothing.
-- scope: organization $1
UPDATE organization SET payment_agreed_until = to_timestamp($2::bigint / 1000)
WHERE id = $1 AND payment_agreed_until IS DISTINCT FROM to_timestamp($2::bigint / 1000)
RETURNING api_date(payment_agreed_until)
