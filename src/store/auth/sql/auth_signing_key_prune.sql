-- Removes the keys that stopped signing so long ago that no token or nonce of theirs is still good.
-- scope: none, because all nodes and organizations share them
DELETE FROM signing_key old
 WHERE EXISTS (SELECT 1 FROM signing_key newer
                WHERE newer.id > old.id AND newer.created_at < now() - interval '2 hours');
