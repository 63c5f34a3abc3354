-- What users are told changes with their group.
CREATE OR REPLACE FUNCTION etcd_group_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT DISTINCT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
                                   WHERE c.etcd_group = NEW.name AND c.etcd_user IS NOT NULL AND m.desired <> 'PLANNED'));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER etcd_group_changes_goals AFTER UPDATE OF auth, early ON etcd_group
    FOR EACH ROW WHEN (OLD.auth <> NEW.auth OR OLD.early <> NEW.early) EXECUTE FUNCTION etcd_group_changes_goals();
