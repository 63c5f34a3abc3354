-- What is over is removed: the service's sweeps see what is old enough, and nothing else of any organization.
-- was: 0bfe556eb636c7f51ef4bb514e25453865eeea4bafb9d5cbf98e0d1867692acb
CREATE POLICY sweep_sees ON invitation FOR SELECT TO reeve_tenant
    USING (reeve_is_service() AND coalesce(accepted_at, expires_at) < now() - interval '30 days');
CREATE POLICY sweep ON invitation FOR DELETE TO reeve_tenant
    USING (reeve_is_service() AND coalesce(accepted_at, expires_at) < now() - interval '30 days');
CREATE INDEX invitation_over ON invitation (coalesce(accepted_at, expires_at));

CREATE POLICY sweep_sees ON alert FOR SELECT TO reeve_tenant
    USING (reeve_is_service() AND status = 'CLOSED' AND resolved_at < now() - interval '30 days');
CREATE POLICY sweep ON alert FOR DELETE TO reeve_tenant
    USING (reeve_is_service() AND status = 'CLOSED' AND resolved_at < now() - interval '30 days');
CREATE INDEX alert_over ON alert (resolved_at) WHERE status = 'CLOSED';

CREATE POLICY sweep_sees ON host_task FOR SELECT TO reeve_tenant
    USING (reeve_is_service() AND finished_at < now() - interval '30 days');
CREATE POLICY sweep ON host_task FOR DELETE TO reeve_tenant
    USING (reeve_is_service() AND finished_at < now() - interval '30 days');
CREATE INDEX host_task_over ON host_task (finished_at) WHERE finished_at IS NOT NULL;

CREATE INDEX certificate_over ON certificate (not_after);
CREATE INDEX revoked_token_over ON revoked_token (expires_at);

-- The number of events of a project goes some time after the project. Not with it: what is still under way writes its last events.
ALTER TABLE event_count_of_project ADD COLUMN gone_at timestamptz;
CREATE INDEX event_count_of_project_gone ON event_count_of_project (gone_at) WHERE gone_at IS NOT NULL;
UPDATE event_count_of_project c SET gone_at = now() WHERE NOT EXISTS (SELECT FROM project p WHERE p.id = c.project_id);
GRANT DELETE ON event_count_of_project TO reeve_tenant;
CREATE POLICY sweep_sees ON event_count_of_project FOR SELECT TO reeve_tenant
    USING (reeve_is_service() AND gone_at < now() - interval '1 day');
CREATE POLICY sweep ON event_count_of_project FOR DELETE TO reeve_tenant
    USING (reeve_is_service() AND gone_at < now() - interval '1 day');
