-- The machinery's row of a new cluster.
-- scope: organization :organization
INSERT INTO cluster (org_id, project_id, id, name, kind, set_name, host_label, port, pooler_port, major_version, parameters, analytics_parameters)
VALUES (:organization, :project, :cluster, :name, :kind, :set_name, :host_label, :port, :pooler_port, :major_version, :parameters::jsonb,
        :analytics_parameters::jsonb)
