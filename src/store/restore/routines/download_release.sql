-- Nothing is left of a download: what it had reserved is free for others. Only of one that has ended; false when it is released already.
CREATE OR REPLACE FUNCTION download_release(p_restore bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_download download;
BEGIN
    PERFORM placement_lock();
    UPDATE download d SET released_at = now() WHERE d.restore_id = p_restore AND d.ended_at IS NOT NULL AND d.released_at IS NULL AND reeve_acts_for(d.org_id)
        RETURNING d.* INTO v_download;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE host h SET used_disk_gb = h.used_disk_gb - v_download.reserved_gb WHERE h.id = v_download.host_id;
    UPDATE certificate c SET revoked_at = now() WHERE c.kind = 'DOWNLOAD' AND c.owner = encode(p_restore, 'hex') AND c.revoked_at IS NULL;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION download_release(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION download_release(bytea) TO reeve_tenant;
