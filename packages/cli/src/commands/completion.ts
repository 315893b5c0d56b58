import type { Command } from '../command.js';
import type { Shell } from '../completion/scripts.js';
import { EXIT } from '../exit.js';

export const completionCommand: Command = {
  name: 'completion <shell>',
  describe: 'Print the script that completes words in a shell',
  options: (yargs) =>
    yargs
      .positional('shell', { choices: ['bash', 'zsh', 'fish'], describe: 'whose' })
      .epilogue(
        [
          'bash: source <(rungar completion bash)   in ~/.bashrc',
          'zsh:  source <(rungar completion zsh)    in ~/.zshrc, after compinit',
          'fish: rungar completion fish | source    in ~/.config/fish/config.fish',
        ].join('\n'),
      ),
  async run(args, world) {
    const { SCRIPTS } = await import('../completion/scripts.js');
    world.stdout.write(SCRIPTS[args.shell as Shell]);
    return EXIT.done;
  },
};
