import { expect, test } from 'vitest';
import { encodeUserData, userDataScript } from './user-data.js';

test.each([
  [
    'after the first line',
    '#!/bin/sh\nexec /opt/run\n',
    'abc=',
    "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='abc='\nexec /opt/run\n",
  ],
  ['a script of one line', '#!/opt/run', 'abc', "#!/opt/run\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='abc'\n"],
  ['a script of one ended line', '#!/opt/run\n', 'abc', "#!/opt/run\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='abc'\n"],
  [
    'a carriage return stays with its line',
    '#!/bin/sh\r\nrun\r\n',
    'abc',
    "#!/bin/sh\r\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='abc'\nrun\r\n",
  ],
  ['quotes', '#!/bin/sh\n', "a'b''c", "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='a'\\''b'\\'''\\''c'\n"],
  [
    'what replace() would take for a pattern',
    '#!/bin/sh\n',
    "$&$'$1",
    "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='$&$'\\''$1'\n",
  ],
])('%s', (_name, script, jitConfig, want) => {
  expect(userDataScript(script, jitConfig)).toBe(want);
});

test('is sent as base64 of its UTF-8 bytes', () => {
  // printf '#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='"'x'"'\n# é\n' | base64 -w0
  expect(encodeUserData('#!/bin/sh\n# é\n', 'x')).toBe(
    'IyEvYmluL3NoCmV4cG9ydCBBQ1RJT05TX1JVTk5FUl9JTlBVVF9KSVRDT05GSUc9J3gnCiMgw6kK',
  );
});
