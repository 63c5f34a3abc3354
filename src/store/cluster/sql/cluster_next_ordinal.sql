-- The number of the next member.
-- scope: organization $1
UPDATE cluster SET next_ordinal = next_ordinal + 1 WHERE org_id = $1 AND id = $2 RETURNING next_ordinal - 1
