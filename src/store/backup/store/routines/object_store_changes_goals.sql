-- Where a seat's data is, and with which keys, is in the goal of its host. Whose certificate is to be believed is also in the goals of those who write with a role in the store.
CREATE OR REPLACE FUNCTION object_store_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(
        SELECT t.host_id::bytea FROM stanza_seat t WHERE t.object_store = NEW.name
        UNION
        SELECT m.host_id::bytea FROM store_role s
            JOIN resource r ON r.kind = 'providerRole' AND r.document ->> 'serviceAssumedRoleExternalId' = s.external_id::text
            JOIN cluster c ON c.project_id = r.scope JOIN cluster_member m ON m.cluster_id = c.id
        WHERE s.store = NEW.name));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER object_store_changes_goals AFTER UPDATE OF keys, authority, object_lock, lock_days ON object_store
    FOR EACH ROW EXECUTE FUNCTION object_store_changes_goals();
