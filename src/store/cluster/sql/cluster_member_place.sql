-- Reserves a place for a member; null when no host has room.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(member_place($1, $2::int, $3, $4, $5, $6::int, $7::boolean, $8::int), 'hex')
