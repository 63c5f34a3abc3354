-- What a seat had and cannot be used any more: WAL that is missing or damaged, with the last moment before it, and backups.
CREATE OR REPLACE FUNCTION seat_losses(p_seat bytea) RETURNS TABLE (key text, problem text, until timestamptz) LANGUAGE sql STABLE AS $$
    SELECT 'wal ' || w.to_lsn, w.ended_by, w.to_at FROM wal_span w WHERE w.seat_id = p_seat AND w.ended_by IS NOT NULL
    UNION ALL
    SELECT 'backup ' || c.label, c.label || ': ' || coalesce(c.problem, 'It cannot be used.'), NULL
    FROM snapshot_copy c WHERE c.seat_id = p_seat AND c.state = 'FAILED' AND c.label IS NOT NULL
$$;
