-- Notes with which history the target goes on.
-- scope: organization :organization
UPDATE restore_job r SET next_stanza = :stanza WHERE r.org_id = :organization AND r.id = :restore
