-- Agents are told which tables are pinned. Nobody who changes that can forget to say so.
CREATE OR REPLACE FUNCTION pinned_tables_change_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = NEW.id));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER pinned_tables_change_goals AFTER UPDATE OF pinned_tables ON cluster
    FOR EACH ROW WHEN (OLD.pinned_tables IS DISTINCT FROM NEW.pinned_tables) EXECUTE FUNCTION pinned_tables_change_goals();
