-- A page of all clusters. Everything that narrows it may be empty. :search looks into the names of cluster, project and organization, and finds a cluster by its id or the name of its replica set;
-- :version is the beginning of one, at a dot; :unproven_days finds clusters without any proof, too. The worst of what it is sorted by comes first, names from A on.
-- scope: none, because operators look after all organizations
WITH wanted AS MATERIALIZED (
    SELECT f, row_number() OVER (ORDER BY
               CASE :sort WHEN 'state' THEN array_position(ARRAY['NO_PRIMARY', 'SILENT', 'DEGRADED', 'STARTING', 'HEALTHY', 'STOPPED'], f.state)
                          WHEN 'lag' THEN -coalesce(f.lag_bytes, -1)
                          WHEN 'proven' THEN coalesce(extract(epoch FROM cluster_proven_at(f.id)), 0)
                          WHEN 'created' THEN -extract(epoch FROM f.created_at)
                          WHEN 'members' THEN -f.members END,
               CASE :sort WHEN 'version' THEN (regexp_match(f.version, '^(\d{1,6})(?:\.(\d{1,6}))?'))::int[] END,
               CASE :sort WHEN 'project' THEN f.project WHEN 'organization' THEN f.organization WHEN 'region' THEN sorted_once(f.regions) WHEN 'size' THEN sorted_once(f.sizes)
                          WHEN 'primary' THEN f.primary_host END,
               f.name, f.project, f.id) AS place
    FROM fleet_cluster f
    WHERE (:state = '' OR f.state = :state) AND (:change = '' OR cluster_change(f.project_id, f.kind, f.id) = :change)
      AND (:search = '' OR position(lower(:search) IN lower(concat_ws(' ', f.name, f.project, f.organization))) > 0 OR f.set_name = lower(:search) OR encode(f.id, 'hex') = lower(:search))
      AND (:of_project = '' OR f.project = :of_project OR encode(f.project_id, 'hex') = :of_project)
      AND (:of_organization = '' OR f.organization = :of_organization OR encode(f.org_id, 'hex') = :of_organization)
      AND (:host = '' OR :host = ANY (f.hosts)) AND (:primary_host = '' OR f.primary_host = :primary_host)
      AND (:region = '' OR :region = ANY (f.regions)) AND (:size = '' OR :size = ANY (f.sizes))
      AND (:version = '' OR f.version = :version OR starts_with(f.version, :version || '.'))
      AND (:least_lag::bigint IS NULL OR f.lag_bytes >= :least_lag)
      AND (:unproven_days::bigint IS NULL OR coalesce(cluster_proven_at(f.id), '-infinity') < now() - :unproven_days::bigint * interval '1 day'))
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT row_number() OVER () AS at, encode((w.f).id, 'hex') AS key, fleet_cluster_json(w.f)::text AS document
    FROM (SELECT * FROM wanted w ORDER BY CASE WHEN :reverse::boolean THEN -w.place ELSE w.place END OFFSET :offset::bigint LIMIT :limit::bigint) w) p ON true
ORDER BY p.at
