-- How many tokens of a principal were revoked one by one.
-- scope: principal :principal
SELECT count(*) AS count FROM revoked_token WHERE principal_id = :principal;
