-- Agents are told what a project has switched off, and do not collect it. Nobody who changes that can forget to say so.
CREATE OR REPLACE FUNCTION project_settings_change_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.project_id = NEW.scope));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER project_settings_change_goals AFTER INSERT OR UPDATE OF document ON resource
    FOR EACH ROW WHEN (NEW.kind = 'projectSettings') EXECUTE FUNCTION project_settings_change_goals();
