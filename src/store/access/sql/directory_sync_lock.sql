-- Lets one worker at a time look whether a directory of an organization is asked: who comes next sees what the one before has taken.
-- scope: none, because the worker serves all organizations
SELECT pg_advisory_xact_lock(hashtextextended('directory ' || encode(s.org_id, 'hex'), 0)) FROM directory_sync s WHERE s.project_id = :project
