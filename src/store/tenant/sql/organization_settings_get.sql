-- The settings of an organization as the API shows them.
-- scope: organization :organization
SELECT json_strip_nulls(json_build_object(
           'apiAccessListRequired', o.access_list_required,
           'maxServiceAccountSecretValidityInHours', coalesce((o.settings ->> 'maxServiceAccountSecretValidityInHours')::int, 8760),
           'securityContact', o.settings ->> 'securityContact',
           'multiFactorAuthRequired', false,
           'restrictEmployeeAccess', false,
           'genAIFeaturesEnabled', false,
           'streamsCrossGroupEnabled', false))::text AS document,
       o.revision
FROM organization o WHERE o.id = :organization
