-- Empties the list of revoked tokens of a principal whose generation has moved.
-- scope: principal :principal
DELETE FROM revoked_token WHERE principal_id = :principal;
