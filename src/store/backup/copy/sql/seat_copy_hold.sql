-- What keeps copies of a history in a region from being removed.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT (extract(epoch FROM h.protected_until) * 1000)::bigint AS protected_ms, h.is_read FROM seat_copy_hold(:stanza, :provider, :region) h
