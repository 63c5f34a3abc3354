-- The last moment that a query is about: `until`, or `since` and `duration`, by default now.
CREATE OR REPLACE FUNCTION advisor_to(p_query jsonb) RETURNS timestamptz LANGUAGE sql STABLE
    RETURN coalesce(to_timestamp((p_query ->> 'until')::double precision / 1000),
                    to_timestamp(((p_query ->> 'since')::double precision + (p_query ->> 'duration')::double precision) / 1000), now());
