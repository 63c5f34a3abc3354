-- Snapshots that are at this seat and nowhere else: what would be lost with it.
CREATE OR REPLACE FUNCTION seat_orphans(p_seat bytea) RETURNS TABLE (snapshot_id bytea) LANGUAGE sql STABLE AS $$
    SELECT c.snapshot_id::bytea FROM snapshot_copy c
    WHERE c.seat_id = p_seat
      AND NOT EXISTS (SELECT FROM snapshot_copy o JOIN stanza_seat t ON t.id = o.seat_id
                      WHERE o.snapshot_id = c.snapshot_id AND o.seat_id <> p_seat AND o.state IN ('IN_PROGRESS', 'COMPLETED') AND t.desired <> 'REMOVED')
$$;
