-- Changes the name and description of a service account; NULL leaves one as it is.
-- scope: organization :organization
UPDATE service_account SET name = coalesce(:name::text, name), description = coalesce(:description::text, description)
WHERE org_id = :organization AND id = :credential
