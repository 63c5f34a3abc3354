-- Ends the copies of a history in a region, or removes them.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT seat_copy_end(:stanza, :provider, :region, :is_removed::boolean) AS seats
