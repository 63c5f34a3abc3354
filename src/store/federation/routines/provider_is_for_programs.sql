-- Whether the tokens of a provider are programs', which come as service accounts, and not people's.
CREATE OR REPLACE FUNCTION provider_is_for_programs(p identity_provider) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(p.settings ->> 'idpType' = 'WORKLOAD', false)
$$;
