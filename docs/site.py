"""Makes the site of the documents: the README is its first page; code and folders are named, not linked."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
KATEX = ROOT / ".npm" / "katex"
TO_CODE = re.compile(r"\[(`?[^\]]+`?)\]\((?:(?:\.\./)+(?:src|examples|studies|benchmarks|tests)[^)]*|results)\)")
RENDER = """document.addEventListener("DOMContentLoaded", () => {
  if (window.renderMathInElement) renderMathInElement(document.body, {delimiters: [
    {left: "\\\\[", right: "\\\\]", display: true}, {left: "\\\\(", right: "\\\\)", display: false}]});
});
"""


def on_files(files, config):
    readme = (ROOT / "README.md").read_text().replace("](docs/", "](").replace("](examples/", "](../examples/")
    files.append(File.generated(config, "index.md", content=readme))
    for path in sorted(KATEX.rglob("*")) if KATEX.exists() else ():
        if path.is_file():
            files.append(File.generated(config, f"katex/{path.relative_to(KATEX)}", content=path.read_bytes()))
    files.append(File.generated(config, "katex/render.js", content=RENDER))
    return files


def on_page_markdown(markdown, page, config, files):
    return TO_CODE.sub(r"\1", markdown)
