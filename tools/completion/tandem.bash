# SPDX-License-Identifier: MIT
#
# Completion of tandem for bash: the command itself says what may come (tandem help --complete). Read from
# share/bash-completion/completions when tandem is first completed; without bash-completion by ". FILE".

_tandem() {
    local command=${1/#\~\//$HOME/} rest=$COMP_LINE trimmed breaks= head= word
    local i at=0 files= parts=() answer=()
    # bash parts words at = and :, which belong together where no blank stands between
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        if ((i == 0)) || [[ $trimmed != "$rest" ]] || [[ -z $rest && -z ${COMP_WORDS[i]} && $COMP_LINE == *[[:space:]] ]]; then
            parts+=("${COMP_WORDS[i]}")
        else
            parts[-1]+=${COMP_WORDS[i]}
        fi
        rest=${trimmed#"${COMP_WORDS[i]}"}
        ((i <= COMP_CWORD)) && at=$((${#parts[@]} - 1))
    done
    # quotes and backslashes are the shell's
    for i in "${!parts[@]}"; do
        parts[i]=${parts[i]//[\\\"\']/}
        parts[i]=${parts[i]/#\~\//$HOME/}
    done
    mapfile -t answer < <("$command" help --complete "$((at - 1))" "${parts[@]:1}" 2>/dev/null)

    # what stands before the last = or : is not replaced
    [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
    [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
    if [[ -n $breaks ]]; then
        head=${parts[at]%"${parts[at]##*[$breaks]}"}
    fi
    COMPREPLY=()
    for word in "${answer[@]}"; do
        if [[ $word == :files ]]; then
            files=yes
            continue
        fi
        word=${word%%$'\t'*}
        [[ $word == *[=:] ]] && compopt -o nospace 2>/dev/null
        word=${word#"$head"}
        [[ $word == *[!a-zA-Z0-9_./=:,-]* ]] && printf -v word %q "$word"
        COMPREPLY+=("$word")
    done
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${parts[at]#"$head"}")
    fi
}
complete -F _tandem tandem
