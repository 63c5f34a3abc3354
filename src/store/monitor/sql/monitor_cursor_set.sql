-- Notes how far hours are made. A worker that was slow does not move it back.
-- scope: none, because hours are made for everybody
INSERT INTO monitor_cursor (at, member_id) VALUES (to_timestamp(:at_ms::bigint / 1000.0), :member)
ON CONFLICT (is_only) DO UPDATE SET at = excluded.at, member_id = excluded.member_id
WHERE (monitor_cursor.at, coalesce(monitor_cursor.member_id, '\x')) < (excluded.at, coalesce(excluded.member_id, '\x'))
