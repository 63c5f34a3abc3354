-- Where the chain of one organization ends.
-- scope: organization :organization
SELECT seq, encode(hash, 'hex') AS hash FROM event_chain WHERE org_id = :organization
