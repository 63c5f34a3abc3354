-- How many teams an organization has. Lock the organization first.
-- scope: organization :organization
SELECT count(*) AS count FROM team WHERE org_id = :organization
