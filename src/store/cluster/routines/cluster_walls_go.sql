-- With a cluster its own authority goes, with every certificate that this has signed.
CREATE OR REPLACE FUNCTION cluster_walls_go() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM certificate c USING authority a WHERE a.purpose = 'CLUSTER' AND a.cluster_id = OLD.id AND c.authority = a.id;
    DELETE FROM authority WHERE purpose = 'CLUSTER' AND cluster_id = OLD.id;
    DELETE FROM cluster_walls WHERE cluster_id = OLD.id;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER cluster_walls_go BEFORE DELETE ON cluster FOR EACH ROW EXECUTE FUNCTION cluster_walls_go();
