-- A restore is over: its gate is closed, and members are told nothing any more, unless their cluster has no data that they could start with.
-- scope: organization :organization
UPDATE restore_job r SET state = :state, finished_at = now(), gate_port = NULL, phase = CASE WHEN :stays_stopped::boolean THEN r.phase END
WHERE r.org_id = :organization AND r.id = :restore AND r.finished_at IS NULL
