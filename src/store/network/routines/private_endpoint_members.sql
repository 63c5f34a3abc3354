-- The members that the services of a project lead to. Without the regional mode: all of a cluster that has any in the service's regions. With it: those in
-- the service's regions. Members for analytics have strings of their own, and are not among them.
CREATE OR REPLACE FUNCTION private_endpoint_members(p_project bytea)
RETURNS TABLE (service_id bytea, cluster_id bytea, ordinal int, address inet, port int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH mode AS (SELECT EXISTS (SELECT FROM resource r WHERE r.scope = p_project AND r.kind = 'privateEndpointRegionalMode' AND r.name = ''
                                   AND (r.document -> 'enabled')::boolean) AS regional),
    here AS (
        SELECT s.id AS service_id, m.cluster_id, m.ordinal, d.address, c.port,
               (h.provider, h.region) = (s.provider, s.region) OR (h.provider = s.provider AND h.region = ANY (s.remote_regions)) AS near
        FROM private_endpoint_service s
        JOIN cluster c ON c.project_id = s.project_id
        JOIN cluster_member m ON m.cluster_id = c.id AND m.desired IN ('RUNNING', 'STOPPED') AND NOT m.analytics
        JOIN host h ON h.id = m.host_id
        JOIN host_address d ON d.member_id = m.id AND family(d.address) = family(s.address)
        -- Transactions of tenants have their organization's only; the reader, which names none, and the service all.
        WHERE s.project_id = p_project AND s.removed_at IS NULL
          AND (coalesce(current_setting('reeve.organization', true), '') = '' OR reeve_acts_for(s.org_id)))
    SELECT t.service_id::bytea, t.cluster_id::bytea, t.ordinal, t.address, t.port FROM here t, mode
    WHERE t.near OR (NOT mode.regional AND EXISTS (SELECT FROM here o WHERE o.service_id = t.service_id AND o.cluster_id = t.cluster_id AND o.near))
$$;
REVOKE ALL ON FUNCTION private_endpoint_members(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION private_endpoint_members(bytea) TO reeve_tenant, reeve_reader, reeve_dns;
