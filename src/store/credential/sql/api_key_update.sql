-- Changes the description of an API key; NULL leaves it as it is.
-- scope: organization $1
UPDATE api_key SET description = coalesce($3::text, description) WHERE org_id = $1 AND id = $2
