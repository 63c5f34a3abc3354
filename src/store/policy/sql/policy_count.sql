-- How many policies an organization has.
-- scope: organization :organization
SELECT count(*) AS count FROM resource WHERE scope = :organization AND org_id = :organization AND kind = 'resourcePolicy'
