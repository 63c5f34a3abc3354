-- How many identity providers an organization's federation has.
-- scope: organization $1
SELECT count(*) FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id WHERE o.id = $1
