-- Lines of a closed invoice cannot be changed, by nobody.
CREATE OR REPLACE FUNCTION invoice_line_is_final() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    -- The row is locked: an invoice that is being closed is waited for, and has then been closed.
    IF TG_OP = 'TRUNCATE'
       OR (TG_OP <> 'INSERT' AND (SELECT i.status FROM invoice i WHERE i.id = OLD.invoice_id FOR SHARE) <> 'PENDING')
       OR (TG_OP <> 'DELETE' AND (SELECT i.status FROM invoice i WHERE i.id = NEW.invoice_id FOR SHARE) <> 'PENDING') THEN
        RAISE EXCEPTION 'a closed invoice cannot be changed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE OR REPLACE TRIGGER invoice_line_is_final BEFORE INSERT OR UPDATE OR DELETE ON invoice_line
    FOR EACH ROW EXECUTE FUNCTION invoice_line_is_final();

CREATE OR REPLACE TRIGGER invoice_line_stays BEFORE TRUNCATE ON invoice_line FOR EACH STATEMENT EXECUTE FUNCTION invoice_line_is_final();
