-- How many organizations share an organization's federation.
-- scope: organization :organization
SELECT federation_size(o.id) AS count FROM organization o WHERE o.id = :organization
