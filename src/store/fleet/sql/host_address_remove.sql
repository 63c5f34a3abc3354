-- Takes addresses away from a host: those of the range that no member and no private endpoint service has.
-- scope: none, because hosts are the operator's
DELETE FROM host_address a USING host h
WHERE h.id = a.host_id AND h.name = :host_name AND a.member_id IS NULL
  AND NOT EXISTS (SELECT FROM private_endpoint_service s WHERE s.address = a.address)
  AND a.address BETWEEN :first::inet AND :first::inet + (:count::bigint - 1)
RETURNING host(a.address)
