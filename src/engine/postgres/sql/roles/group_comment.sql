-- Says what a group allows.
COMMENT ON ROLE :"role" IS :'meaning'
