-- Agents are told whether there is a pooler. Nobody who changes that can forget to say so.
CREATE OR REPLACE FUNCTION pooling_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster_member m WHERE m.cluster_id = NEW.id));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER pooling_changes_goals AFTER UPDATE OF pooling, pooling_mode ON cluster
    FOR EACH ROW WHEN ((OLD.pooling, OLD.pooling_mode) IS DISTINCT FROM (NEW.pooling, NEW.pooling_mode)) EXECUTE FUNCTION pooling_changes_goals();
