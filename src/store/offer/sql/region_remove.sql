-- Removes a region that no host is or was in, with the tokens to join there.
-- scope: none, because regions are the operator's
WITH tokens AS (DELETE FROM join_token WHERE provider = :provider AND region = :name)
DELETE FROM region WHERE provider = :provider AND name = :name RETURNING name
