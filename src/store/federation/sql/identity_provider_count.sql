-- How many identity providers an organization's federation has.
-- scope: organization :organization
SELECT count(*) AS count FROM organization o JOIN identity_provider p ON p.federation_id = o.federation_id WHERE o.id = :organization
