-- Each cluster with the version that its servers run and the one that its hosts have, and what an update would do with it. Hosts that differ are not even:
-- servers would go back and forth with each switchover. Nothing follows from what a silent host said last.
CREATE OR REPLACE VIEW fleet_versions WITH (security_invoker = true) AS
SELECT s.*,
       CASE WHEN s.state IN ('CREATING', 'DELETING') THEN 'BUSY'
            WHEN s.is_paused THEN 'PAUSED'
            WHEN s.silent_host IS NOT NULL OR NOT s.is_known THEN 'UNKNOWN'
            WHEN NOT s.is_behind THEN 'CURRENT'
            WHEN versions_differ(s.least_installed, s.most_installed) THEN 'UNEVEN'
            WHEN s.is_pinned THEN 'PINNED'
            ELSE 'BEHIND' END AS verdict,
       CASE WHEN s.state IN ('CREATING', 'DELETING') THEN 'It is being made or deleted.'
            WHEN s.is_paused THEN 'It is paused, and starts with the version that its hosts have when it is resumed.'
            WHEN s.silent_host IS NOT NULL THEN 'Host ' || s.silent_host || ' has said nothing for two minutes.'
            WHEN NOT s.is_known THEN 'The version of a server, or of a host of it, is not known.'
            WHEN NOT s.is_behind THEN NULL
            WHEN versions_differ(s.least_installed, s.most_installed) THEN
                'Host ' || s.oldest_host || ' has ' || s.major_version || '.' || s.least_installed || ', host ' || s.newest_host || ' has ' || s.major_version || '.' || s.most_installed || '.'
            WHEN s.is_pinned THEN 'Its tenant has pinned its version' || coalesce(' until ' || s.pinned_until, '') || '.' END AS reason
FROM (
    SELECT c.id AS cluster_id, c.org_id, c.project_id, c.name, p.name AS project_name, c.major_version, r.state,
           coalesce((r.document ->> 'paused')::boolean, false) AS is_paused,
           document_in_force(r.document -> 'pin', 'until') AS is_pinned, r.document -> 'pin' ->> 'until' AS pinned_until,
           count(*) AS members,
           c.major_version || '.' || min(m.running) AS running, c.major_version || '.' || max(m.installed) AS installed,
           min(m.installed) AS least_installed, max(m.installed) AS most_installed,
           bool_and(m.running IS NOT NULL AND m.installed IS NOT NULL) AS is_known,
           coalesce(bool_or(m.running < m.installed), false) AS is_behind,
           min(m.host) FILTER (WHERE m.is_silent) AS silent_host,
           (array_agg(m.host ORDER BY m.installed, m.host))[1] AS oldest_host, (array_agg(m.host ORDER BY m.installed DESC, m.host))[1] AS newest_host,
           jsonb_agg(jsonb_build_object('name', member_name(c.set_name, c.host_label, m.ordinal), 'host', m.host, 'role', m.role, 'running', m.version,
                                        'installed', c.major_version || '.' || m.installed) ORDER BY m.ordinal) AS servers
    FROM cluster c
    JOIN resource r ON r.id = c.id AND r.scope = c.project_id AND r.kind IN ('cluster', 'flexCluster')
    JOIN project p ON p.id = c.project_id
    JOIN LATERAL (
        SELECT m.ordinal, m.role, m.version, h.name AS host, server_minor(m.version, c.major_version) AS running,
               (SELECT max(server_minor(v, c.major_version)) FROM jsonb_array_elements_text(coalesce(h.facts -> 'postgresVersions', '[]')) v) AS installed,
               coalesce(h.last_seen_at < now() - interval '2 minutes', true) AS is_silent
        FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.cluster_id = c.id AND m.desired <> 'REMOVED') m ON true
    GROUP BY c.id, p.id, r.id, r.scope, r.kind, r.state, r.document, p.name) s;
GRANT SELECT ON fleet_versions TO reeve_reader, reeve_tenant;
