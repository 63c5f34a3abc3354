-- PowerDNS's own table of records: those of clusters, and the zone's own. In a project in private IP mode the name of a member leads to its private address, as the
-- name beside it with "-pri" always does: nobody can learn another address of it.
CREATE OR REPLACE VIEW reeve_dns.records AS
SELECT NULL::bigint AS id, 1 AS domain_id, d.name, coalesce(p.type, d.type) AS type,
       -- PowerDNS wants the priority of an SRV record by itself.
       CASE WHEN d.type = 'SRV' THEN substring(d.content FROM '^\S+\s+(.*)$') ELSE coalesce(p.content, d.content) END AS content,
       d.ttl, CASE WHEN d.type = 'SRV' THEN substring(d.content FROM '^\d+')::int END AS prio, false AS disabled,
       NULL::text AS ordername, true AS auth
FROM dns_record d
LEFT JOIN LATERAL (
    SELECT o.type, o.content
    FROM cluster c
    JOIN resource r ON r.scope = c.project_id AND r.kind = 'privateIpMode' AND r.name = '' AND (r.document -> 'enabled')::boolean
    JOIN dns_record o ON o.cluster_id = c.id AND o.name = regexp_replace(d.name, '\.', '-pri.') AND o.type IN ('A', 'AAAA')
    WHERE c.id = d.cluster_id AND d.type IN ('A', 'AAAA')) p ON true
UNION ALL
SELECT NULL, 1, e.name, e.type, e.content, 5, e.prio, false, NULL, true
FROM private_endpoint_records e
UNION ALL
SELECT NULL, 1, z.name, 'SOA',
       z.nameservers[1] || ' ' || z.contact || ' ' || extract(epoch FROM now())::bigint || ' 3600 600 604800 1',
       60, NULL, false, NULL, true
FROM dns_zone z
UNION ALL
SELECT NULL, 1, z.name, 'NS', n, 60, NULL, false, NULL, true
FROM dns_zone z, unnest(z.nameservers) n
UNION ALL
SELECT NULL, 1, e.name, NULL, NULL, NULL, NULL, false, NULL, true
FROM (SELECT DISTINCT dns_parent(d.name, 1) AS name FROM dns_record d
      UNION ALL SELECT DISTINCT dns_parent(d.name, 2) FROM dns_record d
      UNION ALL SELECT DISTINCT dns_parent(d.name, 3) FROM dns_record d
      UNION ALL SELECT n.prefix || t.name FROM private_endpoint_targets t, (VALUES (''), ('_tcp.')) n (prefix)
      UNION ALL SELECT DISTINCT a.hash || '.' || o.name FROM private_endpoint_service s JOIN project_access a ON a.project_id = s.project_id CROSS JOIN dns_zone o) e
JOIN dns_zone z ON right(e.name, length(z.name) + 1) = '.' || z.name;
GRANT SELECT ON reeve_dns.records TO reeve_dns;
