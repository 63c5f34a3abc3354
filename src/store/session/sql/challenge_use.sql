-- Uses up a challenge that was answered rightly; no row when it was used before.
-- scope: none, because a challenge belongs to nobody
INSERT INTO used_challenge (challenge, expires_at) VALUES (:challenge, to_timestamp(:expires_at_s::bigint)) ON CONFLICT DO NOTHING
