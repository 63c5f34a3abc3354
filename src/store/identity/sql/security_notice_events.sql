-- What a notice is about: the first events of it, a line each, and how many there are.
-- scope: organization :organization
SELECT o.name, e.lines, e.count
FROM organization o, LATERAL (
    SELECT string_agg(v.line, E'\n' ORDER BY v.seq) FILTER (WHERE v.place <= :limit::bigint) AS lines, count(*) AS count
    FROM (SELECT e.seq, row_number() OVER (ORDER BY e.seq) AS place,
                 format('%s  %s, by %s%s', api_date(e.created_at), e.type, coalesce(d.event #>> '{actor,name}', 'the service'), coalesce(' from ' || (d.event ->> 'address'), '')) AS line
          FROM event e, LATERAL (SELECT e.document::jsonb AS event) d
          WHERE e.org_id = :organization AND e.seq > :from_seq AND e.seq <= :last_seq AND event_is_security(e.type, e.document)) v) e
WHERE o.id = :organization
