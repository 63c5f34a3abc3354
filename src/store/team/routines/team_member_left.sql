-- Who holds no role in an organization any more is in none of its teams: else a person who comes back years later would
-- find the old teams' rights there. Looked at when the transaction commits, because roles are replaced by taking some away
-- before others are given. Whoever adds a member locks the roles that make a person one (team_person_find.sql).
CREATE OR REPLACE FUNCTION team_member_left() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM team_member m
        WHERE m.person_id = OLD.principal_id AND m.org_id = OLD.org_id
          AND NOT EXISTS (SELECT FROM role_grant g WHERE g.principal_id = OLD.principal_id AND g.org_id = OLD.org_id);
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS team_member_left ON role_grant;
CREATE CONSTRAINT TRIGGER team_member_left AFTER DELETE OR UPDATE OF org_id ON role_grant
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION team_member_left();
