-- Until when copies of a history in a region are protected.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT (extract(epoch FROM seat_copy_protected(:stanza, :provider, :region)) * 1000)::bigint AS protected_ms
