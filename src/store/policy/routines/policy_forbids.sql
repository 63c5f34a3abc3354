-- Whether a rule forbids a document. What cannot be evaluated, as a text that is no date, forbids nothing.
CREATE OR REPLACE FUNCTION policy_forbids(p_body text, p_document jsonb, p_variables jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_path_match(p_document, p_body::jsonpath, p_variables, true), false)
$$;
