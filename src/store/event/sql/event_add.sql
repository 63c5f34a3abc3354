-- Writes an event at the place that event_take_place gave, and makes its hash the end of the chain.
-- scope: organization $1
WITH chain AS (
    UPDATE event_chain SET hash = $9 WHERE org_id = $1 AND seq = $2)
INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash, cluster)
VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::bigint / 1000.0), $8, $9, $10)
