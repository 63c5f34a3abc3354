-- Nobody who changes a project's key service can forget to tell the hosts. What was found out about it is nothing that they would have to know.
CREATE OR REPLACE FUNCTION key_service_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY(SELECT m.host_id::bytea FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.project_id = NEW.scope));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER key_service_changed AFTER UPDATE OF document ON resource
    FOR EACH ROW WHEN (NEW.kind = 'encryptionAtRest'
                       AND (NEW.document #- '{kmip,valid}' #- '{kmip,problem}' #- '{kmip,checkedAt}' #- '{kmip,membersOnOtherKeys}')
                           IS DISTINCT FROM
                           (OLD.document #- '{kmip,valid}' #- '{kmip,problem}' #- '{kmip,checkedAt}' #- '{kmip,membersOnOtherKeys}'))
    EXECUTE FUNCTION key_service_changes_goals();
