import type { Command } from '../command.js';

/** `explain`: why a rule, a setting, or every choice in a manifest. */
export const explainCommand: Command = {
  name: 'explain [topic]',
  describe: 'say why: a rule, a setting, hpa, or every choice in a manifest',
  usage: '$0 explain [topic]\n$0 explain -f FILE\n\nWithout either it lists the topics.',
  positionals: {
    topic: { type: 'string', describe: 'a rule (DWM110), a setting (idleTimeout) or hpa' },
  },
  formats: ['text', 'json'],
  repeated: ['file'],
  flags: {
    file: {
      alias: 'f',
      // Not an array: yargs would not take a lone hyphen then. Given several times, it is a list all the same.
      type: 'string',
      requiresArg: true,
      describe: 'manifests to go through, choice by choice; - is standard input',
    },
  },
  async run(args, world) {
    const { runExplain } = await import('../explain/run-explain.js');
    return runExplain(args, world);
  },
};
