-- How many tokens of a principal were revoked one by one.
-- scope: principal $1
SELECT count(*) FROM revoked_token WHERE principal_id = $1;
