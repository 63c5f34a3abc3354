-- Empties the list of revoked tokens of a principal whose generation has moved.
-- scope: principal $1
DELETE FROM revoked_token WHERE principal_id = $1;
