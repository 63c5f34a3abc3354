-- One organization, locked for a change, with the number of its projects.
-- scope: organization :organization
SELECT name, settings::text, revision, (SELECT coalesce(sum(total), 0) FROM list_counter WHERE scope = :organization AND kind = 'project') AS project_count
FROM organization WHERE id = :organization FOR NO KEY UPDATE
