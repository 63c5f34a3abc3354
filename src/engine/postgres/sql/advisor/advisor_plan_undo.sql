-- Behind each plan.
ROLLBACK
