-- Takes the next place in the organization's chain of events, and in the project's count when :project is one, and holds both until the transaction ends. Dates do not go back.
-- Returns nothing when the count of :project is another organization's.
-- scope: organization :organization
WITH chain AS (
    INSERT INTO event_chain (org_id, seq, hash, created_ms)
    VALUES (:organization, 1, '', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    ON CONFLICT (org_id) DO UPDATE
        SET seq = event_chain.seq + 1,
            created_ms = greatest(event_chain.created_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    RETURNING seq, hash, created_ms),
project AS (
    INSERT INTO event_count_of_project AS c (project_id, org_id, seq)
    SELECT :project::bytea, :organization, 1 FROM chain WHERE :project::bytea IS NOT NULL
    ON CONFLICT (project_id) DO UPDATE SET seq = c.seq + 1 WHERE c.org_id = excluded.org_id
    RETURNING seq)
SELECT chain.seq, encode(chain.hash, 'hex') AS hash, chain.created_ms, (SELECT project.seq FROM project) AS project_seq
FROM chain WHERE :project::bytea IS NULL OR EXISTS (SELECT FROM project)
