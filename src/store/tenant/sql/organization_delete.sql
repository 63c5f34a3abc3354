-- Removes an organization with its credentials. Its events stay.
-- scope: organization $1
DELETE FROM organization WHERE id = $1
