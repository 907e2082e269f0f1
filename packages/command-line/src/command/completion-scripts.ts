/**
 * Shell scripts that complete a program. They contain no logic: each calls the program with
 * `__complete -- ARGS...` and shows its output.
 */
import { filesMarker, type Run } from './command.ts';
import { UsageError } from './errors.ts';
import { completeWord } from './run.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, program: string): string {
  const name = program.replace(/\W/g, '_');
  return { bash, zsh, fish }[shell](program, name);
}

/** For the command of `completion-command.ts`. */
export const run =
  (program: string): Run =>
  async ({ terminal, words: [word] }) => {
    const shell = shells.find((one) => one === word);
    if (!shell) throw new UsageError(`there is no completion for "${word}": use ${shells.join(', ')}`);
    terminal.out.write(completionScript(shell, program));
  };

/**
 * Bash splits words at `=` and `:`. They are joined again for the program, and the part before the split is removed from
 * the candidates. `%q` quotes names, so that `$(…)` in a name is not executed.
 */
const bash = (program: string, name: string) => `# bash completion for ${program}. Use it with:
#   source <(${program} completion bash)
_${name}_complete() {
  local program=$1 line=\${COMP_LINE:0:COMP_POINT} words=() index word current cut candidate
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    local trimmed=\${line#"\${line%%[![:space:]]*}"}
    ((index == COMP_CWORD)) && word=$trimmed
    if ((index > 0)) && [[ $trimmed == "$line" && -n $trimmed ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    line=\${trimmed#"$word"}
  done
  current=\${words[\${#words[@]}-1]}
  cut=
  [[ $current == *[=:]* ]] && cut=\${current%"\${current##*[=:]}"}
  type -P -- "$program" >/dev/null 2>&1 || program=${program}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    if [[ $candidate == ${filesMarker} ]]; then
      compopt -o default 2>/dev/null
      continue
    fi
    candidate=\${candidate#"$cut"}
    [[ -n $candidate ]] && COMPREPLY+=("$(printf '%q' "$candidate")")
  done < <("$program" ${completeWord} -- "\${words[@]:1}" 2>/dev/null </dev/null)
}
complete -F _${name}_complete ${program}
`;

const zsh = (program: string, name: string) => `#compdef ${program}
# zsh completion for ${program}. Use it with:
#   source <(${program} completion zsh)
_${name}_complete() {
  local -a lines described
  local line word says
  local -i files=0
  lines=("\${(@f)$("\${words[1]}" ${completeWord} -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  for line in "\${lines[@]}"; do
    [[ -z $line ]] && continue
    if [[ $line == ${filesMarker} ]]; then
      files=1
      continue
    fi
    word=\${line%%$'\\t'*}
    says=\${line#*$'\\t'}
    if [[ $says == $line ]]; then
      described+=("\${word//:/\\\\:}")
    else
      described+=("\${word//:/\\\\:}:$says")
    fi
  done
  (( \${#described} )) && _describe -V '${program}' described
  (( files )) && _files
}
if [[ $funcstack[1] == _${name}_complete || $funcstack[1] == _${program} ]]; then
  _${name}_complete "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _${name}_complete ${program}
fi
`;

const fish = (program: string, name: string) => `# fish completion for ${program}. Use it with:
#   ${program} completion fish | source
function __${name}_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] ${completeWord} -- $words[2..-1] 2>/dev/null </dev/null)
    if test "$line" = ${filesMarker}
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c ${program} -f -a '(__${name}_complete)'
`;
