-- Whether an event decides who gets into an organization and how it is watched: its security contact is told. Of roles only that somebody or something became owner, or is
-- none any more: whoever gives many others would fill a mailbox. That is asked of every event, whatever it is called, so that no way to it is forgotten.
CREATE OR REPLACE FUNCTION event_is_security(p_type text, p_document text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT p_type IN ('ORG_SETTINGS_CHANGED', 'USER_RECOVERED', 'EMPLOYEE_ACCESS_GRANTED', 'EMPLOYEE_ACCESS_OPENED', 'EMPLOYEE_ACCESS_REVOKED', 'IDENTITY_PROVIDER_CREATED', 'IDENTITY_PROVIDER_CHANGED',
                      'IDENTITY_PROVIDER_DELETED', 'IDENTITY_PROVIDER_JWKS_REVOKED', 'CONNECTED_ORG_CHANGED', 'CONNECTED_ORG_REMOVED', 'ROLE_MAPPING_CREATED',
                      'ROLE_MAPPING_CHANGED', 'ROLE_MAPPING_DELETED', 'FEDERATION_SETTINGS_DELETED', 'RESOURCE_POLICY_MODIFIED', 'RESOURCE_POLICY_DELETED',
                      'BACKUP_COMPLIANCE_POLICY_ENDED', 'AUDIT_LOG_CONFIGURATION_UPDATED', 'ORG_LOCKED', 'GROUP_MOVED')
           OR CASE WHEN strpos(p_document, '"ORG_OWNER"') > 0 THEN
                  coalesce(strpos(p_document::jsonb ->> 'after', '"ORG_OWNER"') > 0, false) <> coalesce(strpos(p_document::jsonb ->> 'before', '"ORG_OWNER"') > 0, false)
              ELSE false END
$$;
