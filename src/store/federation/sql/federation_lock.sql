-- The federation of an organization, locked with it: who leaves or changes it takes turns.
-- scope: organization $1
SELECT encode(f.id, 'hex')
FROM organization o JOIN federation f ON f.id = o.federation_id
WHERE o.id = $1
FOR NO KEY UPDATE
