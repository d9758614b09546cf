"""Runs notebooks in a folder of their own, and fails if a cell does or shows nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

for name in sys.argv[1:]:
    path = Path(name).resolve()
    notebook = nbformat.read(path, as_version=4)
    if any(cell.get("outputs") for cell in notebook.cells):
        sys.exit(f"{path.name}: outputs are not kept in the repository: clear them")
    os.chdir(path.parent)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    if not {"text/html", "image/png"} <= kinds:
        sys.exit(f"{path.name}: shows {sorted(kinds)}, and neither a table nor a picture is among them")
    print(f"{path.name}: {len(cells)} cells, {len(outputs)} outputs")
