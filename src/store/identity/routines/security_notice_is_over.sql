-- Whether nobody needs a notice any more. One that nobody has tried to send for a week waits for a mail server that is not there.
CREATE OR REPLACE FUNCTION security_notice_is_over(n security_notice) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT (n.last_seq <= n.told_seq AND n.due_at < now() - interval '1 day') OR n.tries > 180 OR n.due_at < now() - interval '7 days'
$$;
