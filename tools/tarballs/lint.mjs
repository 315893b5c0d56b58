// What publint and "are the types wrong?" say of a tarball.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The packages are ES modules, for Node.js and bundlers of today: how older ones would read them does not matter. */
const NOT_FOR = ['node10', 'node16-cjs'];

/** @param {import('./pack.mjs').Packed} packed */
export async function lintFaults({ name, manifest, tarball }) {
  const bytes = readFileSync(tarball);
  const { messages } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  const { problems = [] } = await checkPackage(createPackageFromTarballData(bytes));
  return [
    ...messages.map((message) => `${name}: ${formatMessage(message, manifest, { color: false })}`),
    ...problems
      .filter(({ resolutionKind }) => !NOT_FOR.includes(resolutionKind))
      .map((problem) => `${name}: its types are wrong: ${JSON.stringify(problem)}`),
  ];
}
