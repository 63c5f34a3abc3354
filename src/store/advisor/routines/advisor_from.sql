-- The first moment that a query is about: `since`, by default a day before the last.
CREATE OR REPLACE FUNCTION advisor_from(p_query jsonb) RETURNS timestamptz LANGUAGE sql STABLE
    RETURN coalesce(to_timestamp((p_query ->> 'since')::double precision / 1000), advisor_to(p_query) - interval '1 day');
