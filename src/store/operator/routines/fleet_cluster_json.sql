-- A cluster as operators see it.
CREATE OR REPLACE FUNCTION fleet_cluster_json(f fleet_cluster) RETURNS jsonb LANGUAGE sql STABLE
    RETURN jsonb_build_object(
        'name', f.name, 'state', f.state, 'project', f.project, 'organization', f.organization, 'primaryHost', f.primary_host, 'members', f.members,
        'lagBytes', f.lag_bytes, 'version', f.version, 'size', sorted_once(f.sizes), 'region', sorted_once(f.regions), 'provenAt', api_date(cluster_proven_at(f.id)),
        'change', cluster_change(f.project_id, f.kind, f.id), 'hosts', f.hosts, 'unwell', f.unwell, 'problem', f.problem, 'createdAt', api_date(f.created_at),
        'id', encode(f.id, 'hex'), 'projectId', encode(f.project_id, 'hex'), 'orgId', encode(f.org_id, 'hex'));
