-- The members that run on a host, and whose they are: only their points are taken from it.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT encode(m.id, 'hex') AS member, encode(c.id, 'hex') AS cluster, encode(c.project_id, 'hex') AS project
FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id
WHERE m.host_id = :host AND m.desired IN ('RUNNING', 'STOPPED')
ORDER BY m.id
