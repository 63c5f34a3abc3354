-- A closed invoice never changes, whoever tries.
CREATE OR REPLACE FUNCTION invoice_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' OR OLD.status <> 'PENDING' THEN
        RAISE EXCEPTION 'a closed invoice cannot be changed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE OR REPLACE TRIGGER invoice_is_final BEFORE UPDATE OR DELETE ON invoice FOR EACH ROW EXECUTE FUNCTION invoice_is_final();

CREATE OR REPLACE TRIGGER invoice_stays BEFORE TRUNCATE ON invoice FOR EACH STATEMENT EXECUTE FUNCTION invoice_is_final();
