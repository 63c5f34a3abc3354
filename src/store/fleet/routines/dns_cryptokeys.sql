-- A table that PowerDNS asks for and that is empty here.
CREATE OR REPLACE VIEW reeve_dns.cryptokeys AS
SELECT NULL::int AS id, NULL::int AS domain_id, NULL::int AS flags, NULL::boolean AS active, NULL::boolean AS published,
       NULL::text AS content WHERE false;
GRANT SELECT ON reeve_dns.cryptokeys TO reeve_dns;
