-- Until when a snapshot that expires then is protected: while a project has a compliance policy, until it expires. NULL: it is not.
CREATE OR REPLACE FUNCTION backup_protection(p_project bytea, p_expires timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT p_expires FROM resource r WHERE r.scope = p_project AND r.kind = 'backupCompliancePolicy' AND r.name = ''
$$;
