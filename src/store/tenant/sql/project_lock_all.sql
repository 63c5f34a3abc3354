-- The projects that a JSON list of ids names, locked in one order everywhere, so that two requests cannot wait for each other.
-- scope: organization :organization
SELECT encode(id, 'hex') FROM project
WHERE org_id = :organization AND id IN (SELECT decode(named.id, 'hex') FROM jsonb_array_elements_text(:projects::jsonb) AS named (id))
ORDER BY id FOR NO KEY UPDATE
