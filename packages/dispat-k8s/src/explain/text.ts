import { wrap } from '../wrap.js';
import type { PoolChoices } from './choices.js';
import type { Explanation } from './explain.js';

/** An explanation for a person. */
export function explanationText(explanation: Explanation, width: number): string {
  const { topic, title, severities, why, what, fix, names, rules } = explanation;
  const named = explanation.kind === 'setting' && title === topic ? topic : `${topic}: ${title}`;
  const facts = [
    ...(severities === undefined ? [] : [`Severity: ${severities.join(', or ')}`]),
    ...(names === undefined || names.length === 0 ? [] : [`Written as: ${names.join(', ')}`]),
    ...(explanation.default === undefined ? [] : [`Default: ${explanation.default}`]),
  ];
  const paragraphs = [
    ...facts,
    ...why,
    ...(explanation.kind === 'rule' ? [`Speaks when: ${what}.`] : []),
    ...(fix === undefined ? [] : [`${explanation.kind === 'autoscaler' ? 'Instead' : 'Fix'}: ${fix}.`]),
    ...(explanation.reference === undefined ? [] : [`More: "${explanation.reference}" in docs/dispat-workers.md`]),
  ];
  const wrapped = [named, ...paragraphs].map((text) => wrap(text, width).join('\n'));
  const listed = (rules ?? []).map(({ id, title: of }) => `${id}  ${of}`).join('\n');
  return `${[...wrapped, ...(listed === '' ? [] : [listed])].join('\n\n')}\n`;
}

/** Every choice of some manifests for a person. */
export function choicesText(pools: readonly PoolChoices[], width: number): string {
  const lines = pools.flatMap(({ pool, choices, unexplained }) => [
    pool,
    '',
    ...choices.flatMap(({ field, value, file, line, why, rules }) => [
      ...wrap(`${field}: ${value}  (${file}:${line})`, width),
      ...wrap(`${why}${rules.length > 0 ? ` (${rules.join(', ')})` : ''}`, width - 4).map((text) => `    ${text}`),
      '',
    ]),
    ...(unexplained.length > 0 ? [...wrap(`Its author's own choices: ${unexplained.join(', ')}`, width), ''] : []),
  ]);
  return `${lines.join('\n').trimEnd()}\n`;
}
