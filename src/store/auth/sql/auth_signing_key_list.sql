-- The keys that sign tokens and nonces, newest first.
-- scope: none, because all nodes and organizations share them
SELECT k.id, encode(k.sealed, 'hex') AS sealed
  FROM signing_key k
 WHERE k.id BETWEEN 1 AND 255
 ORDER BY k.id DESC;
