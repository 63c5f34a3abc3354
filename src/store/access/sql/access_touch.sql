-- Who may connect to a project's clusters changes: the generation that members must reach for it to be in force.
-- scope: project $1
SELECT access_touch($1)
