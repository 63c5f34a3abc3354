-- Puts an organization into a federation, a new one or that of others; what it agreed with the old one ends, and so does that if it was the last.
-- scope: organization :organization
UPDATE organization SET federation_id = :federation, revision = nextval('revision') WHERE id = :organization
