-- The log export of a project, with how writing goes on the hosts that have its members; UNCONFIGURED when there is none.
-- scope: project :project
SELECT coalesce((
    SELECT (r.document - 'internal') || jsonb_strip_nulls(jsonb_build_object('lastError', s.state ->> 'lastError', 'state',
               CASE WHEN NOT EXISTS (SELECT FROM provider_role_store(r.scope, r.document ->> 'iamRoleId')) THEN 'ASSUME_ROLE_FAILED'
                    WHEN s.state ->> 'state' = 'FAILING' THEN 'BUCKET_VERIFICATION_FAILED' WHEN s.state ->> 'state' = 'WORKING' THEN 'ACTIVE' ELSE 'INITIATING' END))
    FROM resource r CROSS JOIN LATERAL (SELECT log_integration_state(r.scope, r.id) AS state) s
    WHERE r.scope = :project AND r.kind = 'pushBasedLogExport'), '{"state": "UNCONFIGURED"}')::text AS document
