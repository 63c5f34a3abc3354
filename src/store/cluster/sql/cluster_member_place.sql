-- Reserves a place for a member; null when no host has room.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT encode(member_place(:cluster, :ordinal::int, :provider, :region, :size, :disk_gb::int, :electable::boolean, :priority::int, :analytics::boolean), 'hex') AS member
