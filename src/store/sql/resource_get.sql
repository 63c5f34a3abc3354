-- A resource by its name, without the field $4; found only when its field $5, unless that is null, is $6.
-- scope: project $1
SELECT (document - $4::text)::text, revision FROM resource
WHERE scope = $1 AND kind = $2 AND name = $3 AND ($5::text IS NULL OR document ->> $5 = $6)
