# SPDX-License-Identifier: Apache-2.0
"""script/generate-sql as a module, for those who look at statements: they read them as the build does."""
import importlib.machinery
import importlib.util
import os

_loader = importlib.machinery.SourceFileLoader("generate_sql", os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate-sql"))
generator = importlib.util.module_from_spec(importlib.util.spec_from_loader(_loader.name, _loader))
_loader.exec_module(generator)
