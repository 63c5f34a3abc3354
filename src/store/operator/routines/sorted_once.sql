-- The texts of a list, each once, in order, as one text. Mostly they are all the same.
CREATE OR REPLACE FUNCTION sorted_once(p_texts text[]) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN p_texts[1] = ALL (p_texts) THEN coalesce(p_texts[1], '') ELSE (SELECT coalesce(string_agg(DISTINCT t, ','), '') FROM unnest(p_texts) t) END;
