-- Removes a host that has no members and no seats left, or one that is lost (:is_lost) with those that it has. Its row stays for its name and epoch: when it joins again,
-- old certificates stay old. Private endpoint services that were to go from it are gone with it: it will not say so any more.
-- scope: none, because hosts are the operator's and hold members of many organizations
WITH gone AS (UPDATE host h SET state = 'REMOVED'
              WHERE h.name = :name AND h.state <> 'REMOVED'
                AND (:is_lost::boolean OR NOT EXISTS (SELECT FROM cluster_member m WHERE m.host_id = h.id
                                                   UNION ALL SELECT FROM stanza_seat t WHERE t.host_id = h.id
                                                   UNION ALL SELECT FROM private_endpoint_service s WHERE s.host_id = h.id))
              RETURNING h.id),
     left_behind AS (DELETE FROM private_endpoint_service s USING gone g WHERE s.host_id = g.id AND s.removed_at IS NOT NULL),
     freed AS (DELETE FROM host_address a USING gone g WHERE a.host_id = g.id AND a.member_id IS NULL
              AND NOT EXISTS (SELECT FROM private_endpoint_service s WHERE s.address = a.address AND s.removed_at IS NULL))
SELECT encode(id, 'hex') AS host FROM gone
