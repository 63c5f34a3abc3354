-- Gives one endpoint set its default limits back.
-- scope: none, because the owner $1 may be any of the three; the caller has checked that it may
DELETE FROM limit_override WHERE owner = $1 AND set_name = $2::text;
