-- A consent or a pin that has run out is not there any more.
CREATE OR REPLACE FUNCTION document_in_force(p_part jsonb, p_until text) RETURNS boolean LANGUAGE sql STABLE
    RETURN p_part IS NOT NULL AND (p_part ->> p_until IS NULL OR (p_part ->> p_until)::timestamptz > now());
