-- A table that PowerDNS asks for and that is empty here.
CREATE OR REPLACE VIEW reeve_dns.tsigkeys AS
SELECT NULL::int AS id, NULL::varchar(255) AS name, NULL::varchar(50) AS algorithm, NULL::varchar(255) AS secret WHERE false;
GRANT SELECT ON reeve_dns.tsigkeys TO reeve_dns;
