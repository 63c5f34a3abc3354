-- With which keys a project's logs and exports are written is in the goals of the hosts that write them; so is that there are none any more.
CREATE OR REPLACE FUNCTION store_role_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(
        SELECT m.host_id::bytea FROM resource r JOIN cluster c ON c.project_id = r.scope JOIN cluster_member m ON m.cluster_id = c.id
        WHERE r.kind = 'providerRole' AND r.document ->> 'serviceAssumedRoleExternalId' = OLD.external_id::text
        UNION
        SELECT e.host_id::bytea FROM resource r JOIN export_job x ON x.project_id = r.scope AND x.finished_at IS NULL JOIN stanza_seat e ON e.id = x.seat_id
        WHERE r.kind = 'providerRole' AND r.document ->> 'serviceAssumedRoleExternalId' = OLD.external_id::text));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER store_role_changes_goals AFTER UPDATE OF keys ON store_role FOR EACH ROW EXECUTE FUNCTION store_role_changes_goals();
CREATE OR REPLACE TRIGGER store_role_gone AFTER DELETE ON store_role FOR EACH ROW EXECUTE FUNCTION store_role_changes_goals();
