/** The command `completion`, the same for every program. */
import type { Command } from './command.ts';

export function completionCommand(program: string): Command {
  return {
    name: 'completion',
    help: 'print a shell script that completes commands, flags and names',
    examples: [
      { help: `in ~/.bashrc: source <(${program} completion bash)`, line: `${program} completion bash` },
      { help: `in ~/.zshrc: source <(${program} completion zsh)`, line: `${program} completion zsh` },
      { help: `in config.fish: ${program} completion fish | source`, line: `${program} completion fish` },
    ],
    words: 'SHELL',
    completeWords: async () => ['bash', 'zsh', 'fish'],
    load: async () => {
      const { run } = await import('./completion-scripts.ts');
      return { run: run(program) };
    },
  };
}
