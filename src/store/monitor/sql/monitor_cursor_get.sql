-- How far hours are made; without a row none ever was.
-- scope: none, because hours are made for everybody
SELECT (extract(epoch FROM c.at) * 1000)::bigint AS at_ms, encode(c.member_id, 'hex') AS member FROM monitor_cursor c
