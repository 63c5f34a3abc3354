-- Why a rule is not offered, or NULL. Texts are taken out first: only the patterns of like_regex are looked into.
CREATE OR REPLACE FUNCTION policy_unoffered(p_body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT CASE
        WHEN b ~ '\\' THEN 'escapes are offered within texts only'
        WHEN b ~ '[/%+]' OR b ~ '[]\w)"@$*]\s*-' OR b ~ '-\s*[^\s\d.]' OR regexp_replace(b, '\[\s*\*\s*\]|\.\s*\*{1,2}', '', 'g') ~ '\*' THEN 'arithmetic is not offered'
        WHEN b ~* '(^|[^\w$.])[0-9.][0-9._]*e' OR b ~ '[\d._]{20}' THEN 'a number may have at most 19 digits and no exponent'
        WHEN b ~ '\.\s*(string|number|decimal)\s*\(' THEN 'the methods string, number and decimal are not offered'
        WHEN b ~ '\?.*\?.*\?' THEN 'at most two filters are offered'
        WHEN b ~ '\*\s*\*.*\*\s*\*' THEN 'at most one .** is offered'
        WHEN p_body ~ 'like_regex\s*"(?:[^"\\]|\\.)*\{' OR p_body ~ 'like_regex\s*"(?:[^"\\]|\\\\[.dsw])*\\(?!\\[.dsw])'
            THEN 'a pattern of like_regex may have no braces, and of the escapes only those of ., d, s and w'
        WHEN length(p_body) > 2000 THEN 'it is too long'
    END
    FROM (SELECT regexp_replace(p_body, '"(?:[^"\\]|\\.)*"', '""', 'g') AS b) words
$$;
