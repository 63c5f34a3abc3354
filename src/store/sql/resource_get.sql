-- A resource by its name, without the field :hidden; found only when its field :also, unless that is null, is :also_value.
-- scope: project :scope
SELECT (document - :hidden::text)::text AS document, revision FROM resource
WHERE scope = :scope AND kind = :kind AND name = :name AND (:also::text IS NULL OR document ->> :also = :also_value)
