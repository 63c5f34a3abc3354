-- Alerts of some projects about what is measured that are not closed.
-- scope: none, because the worker serves all organizations; the projects are those of configurations that it has read
SELECT encode(a.config_id, 'hex') AS config, encode(a.member_id, 'hex') AS member, encode(a.id, 'hex') AS alert
FROM alert a
WHERE a.project_id IN (SELECT decode(x, 'hex') FROM unnest(string_to_array(:projects, ',')) x) AND a.member_id IS NOT NULL AND a.status <> 'CLOSED'
ORDER BY a.config_id, a.member_id
