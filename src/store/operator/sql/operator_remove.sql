-- Removes an operator, and with it what its token is good for.
-- scope: none, because operators belong to no organization
DELETE FROM operator WHERE name = :name RETURNING name
