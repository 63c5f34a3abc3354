-- A restore as its job needs it, locked.
-- scope: organization :organization
SELECT r.state, r.phase, r.problem, r.keeps_before, r.gate_port IS NOT NULL AS has_gate, r.gate_state, r.gate_problem, encode(r.first_member, 'hex') AS first,
       encode(r.next_stanza, 'hex') AS next_stanza, r.restored_at IS NOT NULL AS is_restored, r.cancelled_at IS NOT NULL AS is_cancelled,
       r.seat_id IS NOT NULL AND NOT EXISTS (SELECT FROM stanza_seat t WHERE t.org_id = :organization AND t.id = r.seat_id AND t.desired = 'REMOVED') AS has_seat
FROM restore_job r WHERE r.org_id = :organization AND r.id = :restore
FOR UPDATE OF r
