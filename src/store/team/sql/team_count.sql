-- How many teams an organization has. Lock the organization first.
-- scope: organization $1
SELECT count(*) FROM team WHERE org_id = $1
