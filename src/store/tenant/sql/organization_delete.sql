-- Removes an organization with its credentials. Its events stay.
-- scope: organization :organization
DELETE FROM organization WHERE id = :organization
