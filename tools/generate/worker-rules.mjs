// docs/reference/dispat-worker-rules.md: one entry for each rule of `dispat-worker-manifest check`.
import { load } from './source.mjs';

const RULES = 'packages/dispat-k8s/src/check/rules/index.ts';

const GROUPS = [
  ['0', 'The check itself'],
  ['1', 'Settings of the manifest'],
  ['2', 'Secrets and isolation'],
  ['3', 'What dispat does not do'],
  ['6', 'How the configuration gets into the pod'],
];

const HEAD = `# Rules of the worker check

<!-- Made from packages/dispat-k8s/src/check/rules by tools/generate.mjs: change them there. -->

\`dispat-worker-manifest check\` looks at a pool's manifests together with the orchestrator's dispat configuration.
\`dispat-worker-manifest explain DWM110\` says the same as this page about one rule.

- An **error** is a pool that fails, or one that exposes what it should not. A **warning** works until it does not.
  **Info** is worth knowing. \`--fail-on\` says from which level on the exit code is 1; errors alone, unless it says so.
- \`--disable DWM108\` leaves a rule out, \`--severity DWM108=warning\` changes how loud it is.
- On the workload or its pod template, \`dispat.dev/ignore: "DWM105"\` leaves a rule out for that pool. It needs
  \`dispat.dev/ignore-reason\` beside it.
- What cannot be read is *unknown* (DWM001), which is no pass.
`;

export const workerRulesPage = {
  path: 'docs/reference/dispat-worker-rules.md',
  async make() {
    const { rules } = await load(RULES);
    const sections = GROUPS.map(([digit, title]) =>
      sectionOf(
        title,
        rules.filter(({ id }) => id[3] === digit),
      ),
    );
    return [HEAD, ...sections].join('\n');
  },
};

function sectionOf(title, rules) {
  return [`## ${title}\n`, ...rules.map(entryOf)].join('\n');
}

function entryOf({ id, title, why, when, fix, severity, otherwise = [], page }) {
  return [
    `### ${id}\n`,
    `**${upper(plain(title))}** (${[severity, ...otherwise].join(', or ')})\n`,
    `${plain(why)}\n`,
    `- Speaks when: ${plain(when)}.`,
    `- Fix: ${plain(fix)}.`,
    `- From: ${page}\n`,
  ].join('\n');
}

function upper(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Characters Markdown would act on. */
function plain(text) {
  return text.replace(/[\\`*_<>|[\]]/g, '\\$&');
}
