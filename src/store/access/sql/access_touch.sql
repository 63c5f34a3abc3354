-- Who may connect to a project's clusters changes: the generation that members must reach for it to be in force.
-- scope: project :project
SELECT access_touch(:project) AS generation
