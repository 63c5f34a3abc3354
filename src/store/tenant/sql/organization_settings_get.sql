-- The settings of an organization as the API shows them.
-- scope: organization $1
SELECT json_strip_nulls(json_build_object(
           'apiAccessListRequired', o.access_list_required,
           'maxServiceAccountSecretValidityInHours', coalesce((o.settings ->> 'maxServiceAccountSecretValidityInHours')::int, 8760),
           'securityContact', o.settings ->> 'securityContact',
           'multiFactorAuthRequired', false,
           'restrictEmployeeAccess', false,
           'genAIFeaturesEnabled', false,
           'streamsCrossGroupEnabled', false))::text,
       o.revision
FROM organization o WHERE o.id = $1
