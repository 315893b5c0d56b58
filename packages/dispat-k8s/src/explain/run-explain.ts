import { readManifests } from '../check/manifest-files.js';
import { rules } from '../check/rules/index.js';
import type { Args, World } from '../command.js';
import { EXIT, UsageError } from '../exit.js';
import { writeResult } from '../files.js';
import { OPTIONS } from '../options/table.js';
import { explainManifest } from './choices.js';
import { explain } from './explain.js';
import { FIXED_REASONS } from './settings.js';
import { choicesText, explanationText } from './text.js';

/** Does `explain`: one topic, every choice of some manifests, or the list of topics. */
export async function runExplain(args: Args, world: World): Promise<number> {
  const files = args.file === undefined ? [] : [args.file].flat().map((file) => String(file) || '-');
  const width = Math.min(world.stdout.columns ?? 80, 100);
  const json = args.format === 'json';
  if (files.length > 0) {
    if (args.topic !== undefined) throw new UsageError(`a topic, ${String(args.topic)}, beside --file`);
    const pools = explainManifest(await readManifests(files, world));
    await writeResult(json ? asJson({ pools }) : choicesText(pools, width), args, world);
  } else if (args.topic === undefined) {
    const topics = listOfTopics();
    await writeResult(json ? asJson(topics) : topicsText(topics), args, world);
  } else {
    const explanation = explain(String(args.topic));
    await writeResult(json ? asJson(explanation) : explanationText(explanation, width), args, world);
  }
  return EXIT.done;
}

interface Topics {
  readonly rules: readonly { readonly id: string; readonly title: string }[];
  readonly settings: readonly string[];
  readonly other: readonly string[];
}

function listOfTopics(): Topics {
  return {
    rules: rules.map(({ id, title }) => ({ id, title })),
    settings: [...Object.keys(OPTIONS), ...Object.keys(FIXED_REASONS)],
    other: ['hpa'],
  };
}

function topicsText({ rules: listed, settings, other }: Topics): string {
  const lines = [
    'Rules',
    ...listed.map(({ id, title }) => `  ${id}  ${title}`),
    '',
    'Settings',
    ...settings.map((setting) => `  ${setting}`),
    '',
    'And',
    ...other.map((topic) => `  ${topic}`),
  ];
  return `${lines.join('\n')}\n`;
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
