-- The federation of an organization, locked with it: who leaves or changes it takes turns.
-- scope: organization :organization
SELECT encode(f.id, 'hex') AS federation
FROM organization o JOIN federation f ON f.id = o.federation_id
WHERE o.id = :organization
FOR NO KEY UPDATE
