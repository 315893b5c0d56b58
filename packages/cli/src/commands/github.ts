import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { usageError } from '../usage.js';

/** `rungar github create-app`: creates a GitHub App that may manage runners. */
export const githubCommand: Command = {
  name: 'github <action>',
  describe: 'Create a GitHub App with the permissions that Rungar needs',
  options: (yargs): Argv =>
    yargs
      .usage(
        [
          '$0 github create-app --url URL [--name NAME] [--key-file FILE]',
          '',
          'Prints a link that creates the App with its permissions filled in, takes what',
          "GitHub hands back, writes the App's key and prints the configuration's lines.",
        ].join('\n'),
      )
      .positional('action', { choices: ['create-app'], describe: 'what to do' })
      .option('url', {
        type: 'string',
        requiresArg: true,
        describe: 'the organisation or repository, as a browser shows it',
      })
      .option('name', {
        type: 'string',
        requiresArg: true,
        describe: 'of the App; one that nobody has (default: by the owner)',
      })
      .option('key-file', {
        type: 'string',
        requiresArg: true,
        describe: "where the App's private key is written (default: NAME.private-key.pem)",
      })
      .check(({ url }) => {
        if (typeof url !== 'string') throw usageError('create-app needs --url, the organisation or the repository');
        return true;
      }),
  async run(args, world) {
    const url = String(args.url);
    const [{ createApp }, { parseConfigUrl }, { toExit }] = await Promise.all([
      import('../github-app/create-app.js'),
      import('@rungar/github'),
      import('../read-settings.js'),
    ]);
    try {
      const { scope, href } = parseConfigUrl(url);
      const owner = scope.kind === 'organisation' ? scope.organisation : scope.kind === 'repository' ? scope.owner : '';
      const name = typeof args.name === 'string' ? args.name : `rungar-${owner}`;
      if (name.length === 0 || name.length > 34)
        throw usageError('the name of an App has 1 to 34 characters: give --name');
      const keyFile =
        typeof args.keyFile === 'string' ? args.keyFile : `${name.replace(/[^\w.-]+/g, '-')}.private-key.pem`;
      return await createApp({ url: href, name, keyFile }, world);
    } catch (error) {
      return toExit(error);
    }
  },
};
