-- One organization, locked for a change, with the number of its projects.
-- scope: organization $1
SELECT name, settings::text, revision, (SELECT coalesce(sum(total), 0) FROM list_counter WHERE scope = $1 AND kind = 'project')
FROM organization WHERE id = $1 FOR NO KEY UPDATE
