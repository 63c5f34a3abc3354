-- The compliance policy of a project, and whether it can be ended: when nothing is protected by it any more.
-- scope: project :project
SELECT (r.document || jsonb_build_object('deletable', NOT EXISTS (
            SELECT FROM snapshot s WHERE s.project_id = :project AND s.protected_until > now())))::text AS document, r.revision
FROM resource r WHERE r.scope = :project AND r.kind = 'backupCompliancePolicy' AND r.name = ''
