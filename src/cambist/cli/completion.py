"""`cambist completion`: print what a shell needs to complete commands, options, codes, sources and accounts."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

_BASH = """\
_cambist() {
    local IFS=$'\\n'
    COMPREPLY=($(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" _CAMBIST_COMPLETE=complete_bash "$1"))
}
complete -o default -F _cambist cambist
"""

_ZSH = """\
#compdef cambist
_cambist() {
    eval "$(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _CAMBIST_COMPLETE=complete_zsh "${words[1]}")"
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _cambist "$@"; else compdef _cambist cambist; fi
"""
"""A folder of `fpath` may hold it, from where the first completion loads it, or a file that is sourced."""

_FISH = """\
function __cambist_complete
    set -lx _CAMBIST_COMPLETE complete_fish
    set -lx _TYPER_COMPLETE_FISH_ACTION get-args
    set -lx _TYPER_COMPLETE_ARGS (commandline -cp)
    set -l found (command cambist)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --command cambist --no-files --arguments '(__cambist_complete)'
"""


class Shell(StrEnum):
    """The shells that complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


_SCRIPTS = {Shell.BASH: _BASH, Shell.ZSH: _ZSH, Shell.FISH: _FISH}


def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print the script by which a shell completes commands, options, codes, sources and accounts.

    Write it into a file that your shell reads: see the guide of the command line.
    """
    typer.echo(_SCRIPTS[shell], nl=False)
