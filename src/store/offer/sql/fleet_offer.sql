-- Where clusters can be: every region that has hosts which take members, with the versions that all of them have installed.
-- None before 16: there whoever may create roles may also become whoever runs programs on the host (S1).
-- scope: none, because it is what the operator offers to every tenant alike
SELECT h.provider, h.region, count(*) AS count,
       (SELECT coalesce(json_agg(v.major ORDER BY v.major::int DESC), '[]')
        FROM (SELECT split_part(e.version, '.', 1) AS major
              FROM host o CROSS JOIN LATERAL jsonb_array_elements_text(
                  CASE jsonb_typeof(o.facts -> 'postgresVersions') WHEN 'array' THEN o.facts -> 'postgresVersions' ELSE '[]' END) e(version)
              WHERE o.provider = h.provider AND o.region = h.region AND o.state = 'ACTIVE' AND o.purpose = 'DATABASE' AND e.version ~ '^(1[6-9]|[2-9][0-9])([.][0-9]+)*$'
              GROUP BY 1 HAVING count(DISTINCT o.id) = count(DISTINCT h.id)) v)::text AS versions
FROM host h WHERE h.state = 'ACTIVE' AND h.purpose = 'DATABASE' GROUP BY h.provider, h.region ORDER BY h.provider, h.region
