-- All regions, and whether a host there keeps backups.
-- scope: none, because regions are the operator's, and the same for every tenant
SELECT r.provider, r.name AS region, EXISTS (SELECT FROM host h WHERE (h.provider, h.region) = (r.provider, r.name) AND h.purpose = 'REPOSITORY' AND h.state = 'ACTIVE') AS has_any
FROM region r ORDER BY r.provider, r.name
