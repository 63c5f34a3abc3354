-- Notes that an hour has gaps which a store that is away could fill. It is made again in ten minutes: a mark is taken a minute after its time.
-- scope: none, because hours are made for everybody
INSERT INTO monitor_late (member_id, at, marked_at)
VALUES (:member, to_timestamp(:at_ms::bigint / 1000.0), now() + interval '9 minutes')
ON CONFLICT (member_id, at) DO UPDATE SET marked_at = excluded.marked_at
