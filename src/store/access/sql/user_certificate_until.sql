-- Until when certificates of a database user, revoked ones included, can be taken for good; null when there are none.
-- scope: project :project
SELECT api_date(max(c.not_after)) AS until FROM certificate c JOIN authority a ON a.id = c.authority
WHERE a.project_id = :project AND c.kind = 'USER' AND c.owner = :owner AND c.not_after > now()
