-- Records a certificate that was signed, and forgets those of the same owner that nobody would accept any more.
-- scope: none, because the operator's authority signs for all
WITH expired AS (DELETE FROM certificate WHERE kind = :kind AND owner = :owner AND not_after < now() - interval '1 day')
INSERT INTO certificate (serial, authority, kind, owner, not_after)
VALUES (:serial, :authority, :kind, :owner, to_timestamp(:not_after_ms::bigint / 1000.0))
