-- The security contact is told of an event in the transaction that wrote it: nobody who writes one can forget to. When the contact is changed, the one before is told, too.
-- An organization has at most ten addresses told a day: nobody can have us write to many strangers, and an address that is told already stays so.
CREATE OR REPLACE FUNCTION security_notice_of_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF event_is_security(NEW.type, NEW.document) THEN
        INSERT INTO security_notice (org_id, recipient, told_seq, last_seq)
            SELECT o.id, c.address, NEW.seq - 1, NEW.seq
            FROM organization o, LATERAL (SELECT o.settings ->> 'securityContact'
                                          UNION SELECT NEW.document::jsonb #>> '{before,securityContact}' WHERE NEW.type = 'ORG_SETTINGS_CHANGED') c (address)
            WHERE o.id = NEW.org_id AND c.address IS NOT NULL
              AND ((SELECT count(*) FROM security_notice n WHERE n.org_id = o.id) < 10 OR EXISTS (SELECT FROM security_notice n WHERE n.org_id = o.id AND n.recipient = c.address))
            ON CONFLICT (org_id, recipient) DO UPDATE SET last_seq = excluded.last_seq;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER security_notice_of_event AFTER INSERT ON event FOR EACH ROW EXECUTE FUNCTION security_notice_of_event();
