-- Tags as a field of a CSV file: JSON, which begins with a brace. Signs that a spreadsheet could take for the end of a cell, or for
-- the beginning of a formula in the next one, are written as JSON may write any sign, whichever separator it was told.
CREATE OR REPLACE FUNCTION csv_tags(p_tags jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_tags = '{}' THEN ''
                ELSE csv_field(replace(replace(replace(replace(replace(p_tags::text, ';', '\u003b'), '=', '\u003d'), '+', '\u002b'), '@', '\u0040'),
                                       '|', '\u007c')) END
$$;
