-- Gives a member another size on its host; false when there is no room.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT member_resize(:member, :size, :disk_gb::int) AS resized
