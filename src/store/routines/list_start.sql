-- Where the row at `p_offset` (from 0) stands: begin at `anchor`, skip `skip` rows. No row for an empty list; beyond the
-- end the skip is larger than what is left. A plain SQL function, so that it becomes part of the statement's plan.
CREATE OR REPLACE FUNCTION list_start(p_scope bytea, p_kind text, p_offset bigint) RETURNS TABLE (anchor bytea, skip bigint)
LANGUAGE sql STABLE AS $$
    SELECT segment.anchor, p_offset - block.before - segment.before
    FROM (SELECT b.anchor, b.before, b.next
          FROM (SELECT i.anchor, sum(i.n) OVER w - i.n AS before, lead(i.anchor) OVER w AS next
                FROM list_block i WHERE i.scope = p_scope AND i.kind = p_kind
                WINDOW w AS (ORDER BY i.anchor ROWS UNBOUNDED PRECEDING)) b
          WHERE b.before <= p_offset ORDER BY b.anchor DESC LIMIT 1) block
    CROSS JOIN LATERAL
         (SELECT s.anchor, s.before
          FROM (SELECT i.anchor, sum(i.n) OVER w - i.n AS before
                FROM list_segment i
                WHERE i.scope = p_scope AND i.kind = p_kind AND i.anchor >= block.anchor
                  AND i.anchor < coalesce(block.next, '\xffffffffffffffffffffffffff')
                WINDOW w AS (ORDER BY i.anchor ROWS UNBOUNDED PRECEDING)) s
          WHERE block.before + s.before <= p_offset ORDER BY s.anchor DESC LIMIT 1) segment
$$;
