"""Words of the commands in Chinese and English: help pages and the labels of tables.

They are in `grammar/messages/commands.yaml`, which is read alone, so that a help page is quick; those of proofs
in `proofs.yaml`.
"""

from __future__ import annotations

from pyengine import resources
from pyengine.language.diagnostics import Lang


def say(key: str, lang: Lang, **facts: object) -> str:
    """The text of a key with its facts filled in."""
    of_proofs = key.partition(".")[0] in ("prove", "same", "diff", "coverage", "flows")
    file = "messages/proofs.yaml" if of_proofs else "messages/commands.yaml"
    text: str = resources.data(file)["notes"][key][lang]
    return text.format(**facts) if facts else text


def help_page(key: str, lang: Lang) -> str | None:
    """The help of a command or an option, None where there is none."""
    entry: dict[str, str] | None = resources.data("messages/commands.yaml")["notes"].get(key)
    return None if entry is None else entry[lang].replace("\\b\n", "\b\n")
