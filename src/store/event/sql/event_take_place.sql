-- Takes the next place in the organization's chain of events, and in the project's count when $2 is one, and holds both until the transaction ends. Dates do not go back.
-- scope: organization $1
WITH chain AS (
    INSERT INTO event_chain (org_id, seq, hash, created_ms)
    VALUES ($1, 1, '', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    ON CONFLICT (org_id) DO UPDATE
        SET seq = event_chain.seq + 1,
            created_ms = greatest(event_chain.created_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    RETURNING seq, hash, created_ms),
project AS (
    INSERT INTO event_count_of_project (project_id, org_id, seq)
    SELECT $2::bytea, $1, 1 FROM chain WHERE $2::bytea IS NOT NULL
    ON CONFLICT (project_id) DO UPDATE SET seq = event_count_of_project.seq + 1
    RETURNING seq)
SELECT chain.seq, encode(chain.hash, 'hex'), chain.created_ms, (SELECT project.seq FROM project)
FROM chain
