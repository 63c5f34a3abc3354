-- Finds a repository host for a history, and reserves room there.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(seat_place(:stanza, 0, false, :provider, :region, :reserved_gb::int), 'hex') AS seat
