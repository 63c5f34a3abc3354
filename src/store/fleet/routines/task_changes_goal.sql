-- A task, and its outcome, are part of the goal of its host.
CREATE OR REPLACE FUNCTION task_changes_goal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY[coalesce(NEW.host_id, OLD.host_id)::bytea]);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER task_changes_goal AFTER INSERT OR DELETE OR UPDATE OF outcome, parameters ON host_task
    FOR EACH ROW EXECUTE FUNCTION task_changes_goal();
