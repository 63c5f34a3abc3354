-- Writes an event at the place that event_take_place gave, and makes its hash the end of the chain.
-- scope: organization :organization
WITH chain AS (
    UPDATE event_chain SET hash = :hash WHERE org_id = :organization AND seq = :seq)
INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash, cluster)
VALUES (:organization, :seq, :event, :project, :project_seq, :type, to_timestamp(:created_ms::bigint / 1000.0), :document, :hash, :cluster)
