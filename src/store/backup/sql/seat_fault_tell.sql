-- Notes that something is told about a seat, and gives what there is to say; nothing when it was told before, or is over.
-- scope: project :project
UPDATE stanza_seat t
SET failing_told = CASE :kind::text WHEN 'FAILING' THEN true WHEN 'WORKING' THEN false WHEN 'RECOVERED' THEN false ELSE t.failing_told END,
    losses_told = CASE WHEN :kind::text IN ('DAMAGED', 'SOUND', 'MENDED') THEN ARRAY(SELECT l.key FROM seat_losses(t.id) l ORDER BY l.key) ELSE t.losses_told END,
    damaged_since = CASE :kind::text WHEN 'DAMAGED' THEN now() WHEN 'SOUND' THEN NULL WHEN 'MENDED' THEN NULL ELSE t.damaged_since END
FROM backup_stanza s, stanza_seat e CROSS JOIN LATERAL seat_faults(e.id) f
WHERE s.project_id = :project AND t.stanza_id = s.id AND t.id = :seat AND e.id = t.id AND f.kind = :kind::text
RETURNING f.document
