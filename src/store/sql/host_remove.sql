-- Removes a host that has no members left, with its addresses. Its row stays for its name and epoch: when it joins again, old certificates stay old.
-- scope: none, because hosts are the operator's and hold members of many organizations
WITH gone AS (UPDATE host h SET state = 'REMOVED'
              WHERE h.name = $1 AND h.state <> 'REMOVED'
                AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.host_id = h.id)
              RETURNING h.id),
     freed AS (DELETE FROM host_address a USING gone g WHERE a.host_id = g.id)
SELECT encode(id, 'hex') FROM gone
