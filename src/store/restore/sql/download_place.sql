-- Asks for a download; the answer says OK, BUSY, FULL or GONE.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT download_place(:restore, :project, :cluster, :seat, :snapshot, :label, :reserved_gb::int) AS outcome
