-- Removes a region that no host is or was in, with the tokens to join there.
-- scope: none, because regions are the operator's
WITH tokens AS (DELETE FROM join_token WHERE provider = $1 AND region = $2)
DELETE FROM region WHERE provider = $1 AND name = $2 RETURNING name
