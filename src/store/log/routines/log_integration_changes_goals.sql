-- Nobody who changes a log integration, the log export, or the role that it writes with, can forget to say so.
CREATE OR REPLACE FUNCTION log_integration_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
                                   WHERE c.project_id = coalesce(NEW.scope, OLD.scope)));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER log_integration_made AFTER INSERT ON resource
    FOR EACH ROW WHEN (NEW.kind IN ('logIntegration', 'pushBasedLogExport')) EXECUTE FUNCTION log_integration_changes_goals();

CREATE OR REPLACE TRIGGER log_integration_changed AFTER UPDATE OF document ON resource
    FOR EACH ROW WHEN (NEW.kind IN ('logIntegration', 'pushBasedLogExport', 'providerRole')) EXECUTE FUNCTION log_integration_changes_goals();

CREATE OR REPLACE TRIGGER log_integration_gone AFTER DELETE ON resource
    FOR EACH ROW WHEN (OLD.kind IN ('logIntegration', 'pushBasedLogExport')) EXECUTE FUNCTION log_integration_changes_goals();
