-- Records a certificate that was signed, and forgets those of the same owner that nobody would accept any more.
-- scope: none, because the operator's authority signs for all
WITH expired AS (DELETE FROM certificate WHERE kind = $3 AND owner = $4 AND not_after < now() - interval '1 day')
INSERT INTO certificate (serial, authority, kind, owner, not_after)
VALUES ($1, $2, $3, $4, to_timestamp($5::bigint / 1000.0))
