-- Whether the pooler would let this user in now.
SELECT 1 FROM reeve_pooler.login($1)
