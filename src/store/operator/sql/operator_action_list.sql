-- A page of what operators changed, the newest first; of one operator when :operator is not empty.
-- scope: none, because operators belong to no organization
WITH wanted AS (SELECT * FROM operator_action WHERE :operator = '' OR operator = :operator)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT seq, seq::text AS key, json_strip_nulls(json_build_object(
        'sequence', seq, 'at', job_date(at), 'operator', operator, 'operation', operation, 'target', target, 'request', request,
        'address', address, 'requestId', request_id))::text AS document
    FROM wanted ORDER BY seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.seq DESC
