-- What the certificate of a member must say, when it is on this host.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT member_name(c.set_name, c.host_label, m.ordinal) AS name,
       to_json(member_host_names(c.set_name, c.host_label, m.ordinal, a.hash, :domain) || private_endpoint_names(c.project_id, :domain))::text AS host_names,
       json_build_array(host(d.address), host(d.private_address))::text AS addresses,
       encode(c.id, 'hex') AS cluster, c.set_name
FROM cluster_member m
JOIN cluster c ON c.id = m.cluster_id
JOIN project_access a ON a.project_id = c.project_id
JOIN host_address d ON d.member_id = m.id
WHERE m.host_id = :host AND m.id = :member AND m.desired IN ('RUNNING', 'STOPPED')
