-- When certificates end: of each kind the first, and how many do within 7 and 30 days. Of an owner with several the last one counts, because the others are
-- replaced already; what belongs to nobody any more does not count.
CREATE OR REPLACE VIEW certificate_figures AS
WITH last AS MATERIALIZED (
    SELECT c.kind, c.owner, max(c.not_after) AS ends FROM certificate c WHERE c.revoked_at IS NULL GROUP BY c.kind, c.owner
), held AS MATERIALIZED (
    SELECT l.kind, l.ends FROM last l JOIN host h ON encode(h.id, 'hex') = l.owner WHERE l.kind = 'HOST' AND h.state <> 'REMOVED'
    UNION ALL
    SELECT l.kind, l.ends FROM last l JOIN cluster_member m ON encode(m.id, 'hex') = l.owner WHERE l.kind = 'MEMBER'
    UNION ALL
    SELECT l.kind, l.ends FROM last l WHERE l.kind NOT IN ('HOST', 'MEMBER')
    UNION ALL
    SELECT a.purpose || '_AUTHORITY', a.not_after FROM authority a
)
SELECT 'reeve_fleet_certificate_days' AS metric, h.kind AS label_1, NULL::text AS label_2, NULL::text AS label_3,
       round((extract(epoch FROM min(h.ends) - now()) / 86400)::numeric, 2) AS value
FROM held h GROUP BY h.kind
UNION ALL
SELECT 'reeve_fleet_certificates_ending', h.kind, '7d', NULL, count(*) FILTER (WHERE h.ends < now() + interval '7 days') FROM held h GROUP BY h.kind
UNION ALL
SELECT 'reeve_fleet_certificates_ending', h.kind, '30d', NULL, count(*) FILTER (WHERE h.ends < now() + interval '30 days') FROM held h GROUP BY h.kind;
