-- Hours that have to be made again, the oldest first, and no mark of them any more. Those that were marked a moment ago wait: their points may be on their way.
-- scope: none, because hours are made for everybody
DELETE FROM monitor_late l USING (
    SELECT o.member_id, o.at FROM monitor_late o WHERE o.marked_at < now() - interval '1 minute'
    ORDER BY o.at, o.member_id LIMIT :limit::bigint FOR UPDATE SKIP LOCKED) o, cluster_member m, cluster c
WHERE l.member_id = o.member_id AND l.at = o.at AND m.id = l.member_id AND c.id = m.cluster_id
RETURNING encode(l.member_id, 'hex') AS member, encode(c.project_id, 'hex') AS project, (extract(epoch FROM l.at) * 1000)::bigint AS at_ms
