-- Who holds no role in an organization any more has not signed in to it either: see team_member_left().
CREATE OR REPLACE FUNCTION federated_member_left() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM federated_member m
        WHERE m.person_id = OLD.principal_id AND m.org_id = OLD.org_id
          AND NOT EXISTS (SELECT FROM role_grant g WHERE g.principal_id = OLD.principal_id AND g.org_id = OLD.org_id);
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS federated_member_left ON role_grant;
CREATE CONSTRAINT TRIGGER federated_member_left AFTER DELETE OR UPDATE OF org_id ON role_grant
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION federated_member_left();
