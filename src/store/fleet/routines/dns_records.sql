-- PowerDNS's own table of records: those of clusters, and the zone's own.
CREATE OR REPLACE VIEW reeve_dns.records AS
SELECT NULL::bigint AS id, 1 AS domain_id, d.name, d.type,
       -- PowerDNS wants the priority of an SRV record by itself.
       CASE WHEN d.type = 'SRV' THEN substring(d.content FROM '^\S+\s+(.*)$') ELSE d.content END AS content,
       d.ttl, CASE WHEN d.type = 'SRV' THEN substring(d.content FROM '^\d+')::int END AS prio, false AS disabled,
       NULL::text AS ordername, true AS auth
FROM dns_record d
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
      UNION ALL SELECT DISTINCT dns_parent(d.name, 3) FROM dns_record d) e
JOIN dns_zone z ON right(e.name, length(z.name) + 1) = '.' || z.name;
GRANT SELECT ON reeve_dns.records TO reeve_dns;
