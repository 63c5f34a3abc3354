-- How many organizations share an organization's federation.
-- scope: organization $1
SELECT federation_size(o.id) FROM organization o WHERE o.id = $1
