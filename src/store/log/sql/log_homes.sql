-- Where the logs of members are read, by the names that connection strings have: of one cluster, or the member that has this name. `address` is
-- NULL when the host was given up.
-- scope: project :project
SELECT encode(m.id, 'hex') AS member, encode(h.id, 'hex') AS host, d.name, CASE WHEN h.state <> 'REMOVED' THEN host(h.address) END AS address
FROM cluster c
JOIN cluster_member m ON m.cluster_id = c.id
JOIN host h ON h.id = m.host_id
CROSS JOIN LATERAL (
    SELECT min(r.name) FILTER (WHERE split_part(r.name, '.', 1) NOT LIKE '%-pri') AS name, bool_or(r.name = :host_name) AS is_named FROM dns_record r
    WHERE r.cluster_id = c.id AND r.type IN ('A', 'AAAA')
      AND split_part(r.name, '.', 1) IN (member_name(c.set_name, c.host_label, m.ordinal), member_name(c.set_name, c.host_label, m.ordinal) || '-pri')) d
WHERE c.project_id = :project AND m.desired IN ('RUNNING', 'STOPPED') AND d.name IS NOT NULL AND (c.name = :cluster OR d.is_named)
ORDER BY m.ordinal
