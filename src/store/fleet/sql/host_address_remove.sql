-- Takes addresses away from a host: those of the range that no member has.
-- scope: none, because hosts are the operator's
DELETE FROM host_address a USING host h
WHERE h.id = a.host_id AND h.name = $1 AND a.member_id IS NULL
  AND a.address BETWEEN $2::inet AND $2::inet + ($3::bigint - 1)
RETURNING host(a.address)
