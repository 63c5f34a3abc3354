-- Everything that was kept of a cluster goes, but for histories in which something is protected: those are only ended. Without seats there is
-- nobody who could remove anything.
-- scope: organization :organization
WITH judged AS (SELECT s.id, EXISTS (SELECT FROM snapshot n WHERE n.org_id = :organization AND n.stanza_id = s.id AND n.protected_until > now()) AS is_protected,
                       EXISTS (SELECT FROM stanza_seat t WHERE t.org_id = :organization AND t.stanza_id = s.id) AS is_kept
                FROM backup_stanza s WHERE s.org_id = :organization AND s.cluster_id = :cluster),
     bare AS (DELETE FROM backup_stanza s USING judged j WHERE s.org_id = :organization AND s.id = j.id AND NOT j.is_kept),
     ended AS (UPDATE backup_stanza s SET state = CASE WHEN j.is_protected THEN 'FROZEN' ELSE 'REMOVING' END, frozen_at = coalesce(s.frozen_at, now())
               FROM judged j WHERE s.org_id = :organization AND s.id = j.id AND j.is_kept)
UPDATE stanza_seat t SET desired = CASE WHEN j.is_protected THEN 'FROZEN' ELSE 'REMOVED' END
FROM judged j WHERE t.org_id = :organization AND t.stanza_id = j.id
