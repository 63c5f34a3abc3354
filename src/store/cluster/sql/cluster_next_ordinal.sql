-- The number of the next member.
-- scope: organization :organization
UPDATE cluster SET next_ordinal = next_ordinal + 1 WHERE org_id = :organization AND id = :cluster RETURNING next_ordinal - 1 AS ordinal
