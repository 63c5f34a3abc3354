-- How an entry of a credential's access list looks in the API. Nodes of the version before call it with one parameter.
CREATE OR REPLACE FUNCTION access_entry_json(e access_list_entry) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'cidrBlock', text(e.block),
        'ipAddress', CASE WHEN masklen(e.block) = CASE family(e.block) WHEN 4 THEN 32 ELSE 128 END THEN host(e.block) END,
        'comment', nullif(e.comment, ''),
        'createdAt', api_date(e.created_at),
        'lastUsedAt', api_date(e.last_used_at)))::text
$$;
-- Entries of API keys and of service accounts have the same fields under names of their own. The function with one parameter is that of
-- nodes of the version before.
CREATE OR REPLACE FUNCTION access_entry_json(e access_list_entry, p_of_key boolean) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'cidrBlock', text(e.block),
        'ipAddress', CASE WHEN masklen(e.block) = CASE family(e.block) WHEN 4 THEN 32 ELSE 128 END THEN host(e.block) END,
        'comment', nullif(e.comment, ''),
        CASE WHEN p_of_key THEN 'created' ELSE 'createdAt' END, api_date(e.created_at),
        CASE WHEN p_of_key THEN 'lastUsed' ELSE 'lastUsedAt' END, api_date(e.last_used_at),
        'lastUsedAddress', host(e.last_used_address),
        CASE WHEN p_of_key THEN 'count' ELSE 'requestCount' END, e.request_count))::text
$$;
