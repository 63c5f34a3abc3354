-- A table that PowerDNS asks for and that is empty here.
CREATE OR REPLACE VIEW reeve_dns.comments AS
SELECT NULL::int AS id, NULL::int AS domain_id, NULL::varchar(255) AS name, NULL::varchar(10) AS type, NULL::int AS modified_at,
       NULL::varchar(40) AS account, NULL::text AS comment WHERE false;
GRANT SELECT ON reeve_dns.comments TO reeve_dns;
