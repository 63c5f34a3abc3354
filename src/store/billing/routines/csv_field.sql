-- A field of a CSV file (RFC 4180). Names are chosen by people who may not see the file: what a spreadsheet would take for a formula gets an
-- apostrophe in front, and is text. So does what follows a sign that a spreadsheet may have been told is the separator: then quotes do not hold.
CREATE OR REPLACE FUNCTION csv_field(p_text text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN safe.said ~ '[",;|\t\r\n]' THEN '"' || replace(safe.said, '"', '""') || '"' ELSE safe.said END
          FROM (SELECT regexp_replace(p_text, '(^|[;|\t\r\n])([-=+@\t\r])', '\1''\2', 'g') AS said) safe $$;
