-- A notice was sent. What happens in the next ten minutes is told together: an organization cannot fill somebody's mailbox.
-- scope: organization :organization
UPDATE security_notice SET told_seq = :last_seq, tries = 0, told_at = now(), due_at = now() + interval '10 minutes' WHERE org_id = :organization AND recipient = :recipient::text
