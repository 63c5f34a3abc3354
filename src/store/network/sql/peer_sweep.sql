-- Whether a peering that is to go is gone at once, because no host has an end of it.
-- scope: none, because the function looks at ends of hosts, and only for the organization that the transaction named
SELECT peer_sweep(:peer) AS is_gone
