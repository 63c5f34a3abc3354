# SPDX-License-Identifier: Apache-2.0
"""How many times as long everything may take (REEVE_PATIENCE). Limits are written for a machine that does nothing else; script/ci runs several steps side by
side, and others may use its processors, too."""
import os

PATIENCE = float(os.environ.get("REEVE_PATIENCE", "1"))


def patient(options):
    """The options of a command that is run, with more time if they limit it."""
    return {**options, "timeout": options["timeout"] * PATIENCE} if options.get("timeout") else options
