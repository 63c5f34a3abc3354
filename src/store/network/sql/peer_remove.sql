-- A peering goes: its hosts close their ends, and it is gone when they have. They are told once.
-- scope: project :project
UPDATE network_peer SET desired = 'REMOVED' WHERE project_id = :project AND id = :peer AND desired <> 'REMOVED'
