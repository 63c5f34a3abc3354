-- Where the chain of one organization ends.
-- scope: organization $1
SELECT seq, encode(hash, 'hex') FROM event_chain WHERE org_id = $1
