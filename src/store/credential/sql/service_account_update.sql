-- Changes the name and description of a service account; NULL leaves one as it is.
-- scope: organization $1
UPDATE service_account SET name = coalesce($3::text, name), description = coalesce($4::text, description)
WHERE org_id = $1 AND id = $2
