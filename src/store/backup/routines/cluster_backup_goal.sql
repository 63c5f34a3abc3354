-- Whom the members of a cluster let in to be backed up. NULL when it has no backups, and while it has other data already and its next history has not begun: what is written then
-- must not come into the history from before, which goes another way from the same place.
CREATE OR REPLACE FUNCTION cluster_backup_goal(p_cluster bytea) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object(
        'stanza', s.name,
        'seats', (SELECT json_agg(json_build_object('id', encode(t.id, 'hex'), 'ordinal', t.ordinal, 'name', 'reeve-seat-' || encode(t.id, 'hex'),
                                                    'hostAddress', host(h.address)) ORDER BY t.ordinal)
                  FROM stanza_seat t JOIN host h ON h.id = t.host_id
                  WHERE t.stanza_id = s.id AND t.desired = 'RUNNING' AND h.state <> 'REMOVED' AND h.address IS NOT NULL))
    FROM backup_stanza s
    WHERE s.cluster_id = p_cluster AND s.state = 'OPEN'
      AND NOT EXISTS (SELECT FROM restore_job r WHERE r.target_id = p_cluster AND r.phase = 'BUILD' AND r.next_stanza IS NULL)
      AND EXISTS (SELECT FROM stanza_seat t JOIN host h ON h.id = t.host_id
                  WHERE t.stanza_id = s.id AND t.desired = 'RUNNING' AND h.state <> 'REMOVED' AND h.address IS NOT NULL)
$$;
REVOKE ALL ON FUNCTION cluster_backup_goal(bytea) FROM PUBLIC;
