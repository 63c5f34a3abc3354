-- Changes the description of an API key; NULL leaves it as it is.
-- scope: organization :organization
UPDATE api_key SET description = coalesce(:description::text, description) WHERE org_id = :organization AND id = :credential
