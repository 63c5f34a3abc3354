-- Until when certificates of a database user, revoked ones included, can be taken for good; null when there are none.
-- scope: project $1
SELECT api_date(max(c.not_after)) FROM certificate c JOIN authority a ON a.id = c.authority
WHERE a.project_id = $1 AND c.kind = 'USER' AND c.owner = $2 AND c.not_after > now()
