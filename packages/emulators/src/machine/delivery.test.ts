import { expect, test } from 'vitest';
import { findJitConfig } from './delivery.js';

const found = (text: string) => findJitConfig({ kind: 'user-data', text });

test.each([
  [
    'the default place',
    "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='abc=='\ncd /home/runner\n./run.sh\n",
    'abc==',
  ],
  ['a script without more', "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='abc'", 'abc'],
  ['a quote within', "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='it'\\''s'\n", "it's"],
])('finds the configuration in %s', (_, script, jitConfig) => {
  expect(found(script)).toEqual({ jitConfig });
});

test('takes a configuration delivered by itself', () => {
  expect(findJitConfig({ kind: 'jit-config', text: 'abc' })).toEqual({ jitConfig: 'abc' });
});

const line = "export ACTIONS_RUNNER_INPUT_JITCONFIG='abc'\n";
test.each([
  [
    'no first line for an interpreter',
    `\n#!/bin/sh\n${line}`,
    'the user data is not a script: it does not begin with #!',
  ],
  ['a first line that names no interpreter', `#!/bin/sh\r\n${line}`, 'its first line ends with a carriage return'],
  ['no export', '#!/bin/sh\n./run.sh\n', 'does not export ACTIONS_RUNNER_INPUT_JITCONFIG'],
  ['an export that is commented out', `#!/bin/sh\n# ${line}`, 'does not export'],
  ['no quotes', '#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG=abc\n', 'is not one word in single quotes'],
  ['an open quote', "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='it's'\n", 'is not one word in single quotes'],
  ['a carriage return after the value', `#!/bin/sh\n${line.trim()}\r\n`, 'is not one word in single quotes'],
  ['an empty value', "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG=''\n", 'is empty'],
])('says why there is no configuration: %s', (_, script, problem) => {
  expect(found(script)).toEqual({ problem: expect.stringContaining(problem) as string });
});

test('says that nothing was delivered', () => {
  expect(findJitConfig(undefined)).toEqual({ problem: 'nothing was delivered to the machine' });
  expect(findJitConfig({ kind: 'jit-config', text: '' })).toEqual({ problem: 'the delivered configuration is empty' });
});
