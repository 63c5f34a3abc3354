-- Scheduled snapshots of a cluster are kept as the rules of its schedule say now, but no less long than they are protected.
-- scope: project :project
UPDATE snapshot s SET expires_at = greatest(n.expires_at, s.protected_until),
                      protected_until = greatest(s.protected_until, backup_protection(s.project_id, n.expires_at))
FROM (SELECT o.id, backup_schedule_expires(:schedule::jsonb, o.policy_items, o.created_at) AS expires_at
      FROM snapshot o WHERE o.project_id = :project AND o.cluster_id = :cluster AND o.origin = 'SCHEDULED' AND o.hidden_at IS NULL) n
WHERE s.project_id = :project AND s.id = n.id AND n.expires_at IS NOT NULL
