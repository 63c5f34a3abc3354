-- Writes an hour of something that a member has, in place of what was there. Not of a member that is gone.
-- scope: none, because hours are made for everybody
INSERT INTO monitor_hour (member_id, scope, name, at, sums, counts)
SELECT m.id, :scope, :name, to_timestamp(:at_ms::bigint / 1000.0), :sums::double precision[], :counts::integer[]
FROM cluster_member m WHERE m.id = :member
ON CONFLICT (member_id, scope, name, at) DO UPDATE SET sums = excluded.sums, counts = excluded.counts
