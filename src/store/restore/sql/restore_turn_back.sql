-- A restore that cannot go on, or is not wanted any more, is undone. Nothing when the target already accepts writes, or it is on its way back.
-- scope: organization :organization
UPDATE restore_job r SET state = 'UNDOING', problem = :problem, cancelled_at = CASE WHEN :is_cancelled::boolean THEN now() END
WHERE r.org_id = :organization AND r.id = :restore AND r.state = 'RUNNING' AND r.restored_at IS NULL
