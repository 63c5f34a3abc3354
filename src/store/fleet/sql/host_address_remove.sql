-- Takes addresses away from a host: those of the range that no member has.
-- scope: none, because hosts are the operator's
DELETE FROM host_address a USING host h
WHERE h.id = a.host_id AND h.name = :host_name AND a.member_id IS NULL
  AND a.address BETWEEN :first::inet AND :first::inet + (:count::bigint - 1)
RETURNING host(a.address)
