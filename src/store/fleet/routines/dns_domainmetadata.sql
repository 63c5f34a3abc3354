-- Tables that PowerDNS asks for and that are empty here.
CREATE OR REPLACE VIEW reeve_dns.domainmetadata AS
SELECT NULL::int AS id, NULL::int AS domain_id, NULL::varchar(32) AS kind, NULL::text AS content WHERE false;
GRANT SELECT ON reeve_dns.domainmetadata TO reeve_dns;
