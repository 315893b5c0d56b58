/** The shells that words can be completed in. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** The hidden command that every script asks. Behind it stand the words up to the cursor, the last one incomplete. */
export const COMPLETE = '__complete';

/** What a shell is to run once, at its start or from its folder of completions. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for rungar
_rungar() {
  local word describe
  COMPREPLY=()
  while IFS=$'\\t' read -r word describe; do
    if [[ -n $word ]]; then COMPREPLY+=("$(printf '%q' "$word")"); fi
  done < <("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rungar rungar
`,
  zsh: `#compdef rungar
# zsh completion for rungar
_rungar() {
  local line word
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word="\${line%%$'\\t'*}"
    if [[ -n $word ]]; then candidates+=("\${word//:/\\\\:}:\${line#*$'\\t'}"); fi
  done
  if (( \${#candidates} )); then _describe 'rungar' candidates; else _files; fi
}
if [[ "\${funcstack[1]}" == _rungar ]]; then _rungar "$@"; else compdef _rungar rungar; fi
`,
  fish: `# fish completion for rungar
function __rungar_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l word (commandline -ct)
    $program ${COMPLETE} $words "$word" 2>/dev/null
end
complete -c rungar -f -a '(__rungar_complete)'
for flag in config record key-file dir
    complete -c rungar -l $flag -r -F
end
`,
};
