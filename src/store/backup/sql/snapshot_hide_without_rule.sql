-- Deletes scheduled snapshots of a cluster none of whose rules is among those of its schedule any more; protected ones stay.
-- scope: project :project
UPDATE snapshot s SET hidden_at = now()
WHERE s.project_id = :project AND s.cluster_id = :cluster AND s.origin = 'SCHEDULED' AND s.hidden_at IS NULL
  AND (s.protected_until IS NULL OR s.protected_until <= now())
  AND NOT EXISTS (SELECT FROM jsonb_array_elements(:schedule::jsonb -> 'policies') p, jsonb_array_elements(p -> 'policyItems') i
                  WHERE decode(i ->> 'id', 'hex') = ANY (s.policy_items))
