-- How many policies an organization has.
-- scope: organization $1
SELECT count(*) FROM resource WHERE scope = $1 AND org_id = $1 AND kind = 'resourcePolicy'
