-- Begins the next history of a cluster, with a schedule when it has none. No row when one is open.
-- scope: organization :organization
WITH made AS (
    INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher)
    SELECT :stanza, c.org_id, c.project_id, c.id, c.name, n.incarnation, c.set_name || '-' || n.incarnation, c.major_version, :cipher
    FROM cluster c
    CROSS JOIN LATERAL (SELECT coalesce(max(s.incarnation), 0) + 1 AS incarnation FROM backup_stanza s
                        WHERE s.org_id = :organization AND s.cluster_id = c.id) n
    WHERE c.org_id = :organization AND c.id = :cluster
    ON CONFLICT (cluster_id) WHERE state = 'OPEN' DO NOTHING
    RETURNING org_id, project_id, cluster_id, cluster_name)
SELECT backup_schedule_add(m.org_id, m.project_id, m.cluster_id, m.cluster_name, c.created_at) AS added
FROM made m JOIN cluster c ON c.org_id = :organization AND c.id = m.cluster_id
