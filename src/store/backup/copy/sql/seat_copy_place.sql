-- The seat for copies of a history in a region, with room for it.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(seat_copy_place(:stanza, :provider, :region, :reserved_gb::int), 'hex') AS seat
