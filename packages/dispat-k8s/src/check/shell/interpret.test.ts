import { describe, expect, test } from 'vitest';
import { interpret } from './interpret.js';

const variables = new Map<string, string | undefined>([
  ['I', '7'],
  ['HEAD', '{"name": "w-'],
  ['TAIL', '"}'],
  ['POD', 'pool-x-12'],
  ['HIDDEN', undefined],
]);

function file(script: string, path = '/w/f'): string | undefined {
  const { files } = interpret(script, variables);
  expect([...files.keys()]).toContain(path);
  return files.get(path);
}

describe('a file written by a script', () => {
  test.each<[string, string, string | undefined]>([
    ['a heredoc', 'cat > /w/f <<EOF\na ${I} "b" \'$I\'\nEOF\n', 'a 7 "b" \'7\'\n'],
    ['a heredoc first', 'cat <<EOF >/w/f\nx\nEOF\n', 'x\n'],
    ['a quoted heredoc', "cat > /w/f <<'EOF'\n${I} `x` \\\\\nEOF\n", '${I} `x` \\\\\n'],
    ['a heredoc without its tabs', 'cat > /w/f <<-EOF\n\tx\n\t\ty\n\tEOF\n', 'x\ny\n'],
    ['a heredoc with escapes', 'cat > /w/f <<EOF\n\\$I \\\\ \\n \\"\nEOF\n', '$I \\ \\n \\"\n'],
    ['printf', 'printf \'%s%s%s\\n\' "$HEAD" "$I" "$TAIL" > /w/f', '{"name": "w-7"}\n'],
    ['printf over several arguments', 'printf "%s," a b > "/w/f"', 'a,b,'],
    ['echo', 'echo "a  $I" b>/w/f', 'a  7 b\n'],
    ['echo and more', 'echo -n a > /w/f; echo b >> /w/f', 'ab\n'],
    ['tee', 'tee /w/f <<EOF >/dev/null\nx\nEOF\n', 'x\n'],
    ['cd and a relative path', 'cd /w && echo a > f', 'a\n'],
    ['a copy', 'echo a > /w/a; cp /w/a /w/f', 'a\n'],
    ['a variable of its own', 'n="w-${POD##*-}"\nexport m=$n\necho ${m} > /w/f', 'w-12\n'],
    ['a default', 'echo "${NONE:-d}${I:-d}${NONE}" > /w/f', 'd7\n'],
    ['single quotes', "echo '$I' > /w/f", '$I\n'],
    ['a text over two lines', 'echo a \\\n  b > /w/f', 'a b\n'],
  ])('by %s', (_, script, want) => expect(file(script)).toBe(want));

  test.each([
    ['a number format', 'printf "%03d" "$I" > /w/f'],
    ['a command substitution', 'echo $(hostname) > /w/f'],
    ['backticks', 'echo `hostname` > /w/f'],
    ['a variable only the cluster knows', 'echo $HIDDEN > /w/f'],
    ['another program', 'sed s/x/y/ t > /w/f'],
    ['a program that changes it', 'echo a > /w/f\nsed -i s/a/b/ /w/f'],
    ['a pipe', 'cat <<EOF | sed s/x/$I/ > /w/f\nx\nEOF\n'],
    ['a branch', 'if test -n "$I"; then\n echo a > /w/f\nfi'],
    ['a variable set in a branch', 'case $I in 7) n=a ;; esac\necho $n > /w/f'],
    ['arithmetic', 'echo $((I + 1)) > /w/f'],
  ])('by %s is unknown', (_, script) => expect(file(script)).toBeUndefined());

  test('is one that was mounted, when it is copied', () => {
    const { files } = interpret('cat /cm/t > /w/f', variables, new Map([['/cm/t', 'x']]));
    expect(files.get('/w/f')).toBe('x');
  });
});

describe('a worker', () => {
  const start = (script: string) => interpret(script, variables).start;

  test.each([
    'exec dispat worker --root /w',
    'exec /usr/local/bin/dispat worker --root /w',
    'exec dispat --log-format json worker --root /w',
    'exec dispat --log-format=json worker --root /w',
    'A=b exec "dispat" worker',
    'exec tini -- dispat worker',
    'umask 077\nset -eu; exec dispat worker',
  ])('takes the place of the shell: %s', (script) => expect(start(script)).toMatchObject({ exec: true }));

  test.each(['dispat worker', 'umask 077; dispat worker', 'dispat worker & wait'])('is a child: %s', (script) =>
    expect(start(script)).toMatchObject({ exec: false }),
  );

  test('may be the only command', () => {
    expect(start('dispat worker --root /w')?.alone).toBe(true);
    expect(start('umask 077; dispat worker')?.alone).toBe(false);
  });

  test.each(['dispat status', 'dispat-worker', 'echo dispat', 'dispat release --note worker', '# dispat worker', ''])(
    'is not started by %j',
    (script) => expect(start(script)).toBeUndefined(),
  );

  test('gets its words with variables filled in', () => {
    expect(start('exec dispat worker --root "$HEAD" --x "$HIDDEN"')?.words).toEqual([
      'dispat',
      'worker',
      '--root',
      '{"name": "w-',
      '--x',
      undefined,
    ]);
  });
});
