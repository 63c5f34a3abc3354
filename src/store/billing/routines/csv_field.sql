-- A field of a CSV file (RFC 4180).
CREATE OR REPLACE FUNCTION csv_field(p_text text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN p_text ~ '[",\r\n]' THEN '"' || replace(p_text, '"', '""') || '"' ELSE p_text END $$;
