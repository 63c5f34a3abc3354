-- All of a team, for the event of its creation or end.
CREATE OR REPLACE FUNCTION team_record_json(t team) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(t.id, 'hex'),
        'name', t.name,
        'usernames', (SELECT coalesce(json_agg(n.username ORDER BY n.username), '[]')
                      FROM team_member m JOIN person n ON n.id = m.person_id
                      WHERE m.org_id = t.org_id AND m.team_id = t.id),
        'groupRoleAssignments', (SELECT coalesce(json_agg(p.assignment), '[]')
                                 FROM (SELECT json_build_object('groupId', encode(g.project_id, 'hex'),
                                                                'groupRoles', json_agg(g.role ORDER BY g.role)) AS assignment
                                       FROM team_grant g WHERE g.org_id = t.org_id AND g.team_id = t.id
                                       GROUP BY g.project_id ORDER BY g.project_id) p))::text
$$;
