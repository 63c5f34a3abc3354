-- PowerDNS's own table of zones, of which there is one.
CREATE OR REPLACE VIEW reeve_dns.domains AS
SELECT id, name::varchar(255) AS name, NULL::varchar(128) AS master, NULL::int AS last_check, 'NATIVE'::varchar(6) AS type,
       NULL::bigint AS notified_serial, NULL::varchar(40) AS account, NULL::text AS options, NULL::text AS catalog
FROM dns_zone;
GRANT SELECT ON reeve_dns.domains TO reeve_dns;
