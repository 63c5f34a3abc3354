-- Gives one endpoint set its default limits back.
-- scope: none, because the owner :owner may be any of the three; the caller has checked that it may
DELETE FROM limit_override WHERE owner = :owner AND set_name = :set::text;
