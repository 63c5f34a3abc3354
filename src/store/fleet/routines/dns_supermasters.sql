-- A table that PowerDNS asks for and that is empty here.
CREATE OR REPLACE VIEW reeve_dns.supermasters AS
SELECT NULL::inet AS ip, NULL::varchar(255) AS nameserver, NULL::varchar(40) AS account WHERE false;
GRANT SELECT ON reeve_dns.supermasters TO reeve_dns;
