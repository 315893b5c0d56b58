import { PROOF_FACTS } from '../decide/proof.js';

const WORDS: Readonly<Record<string, string>> = PROOF_FACTS;

/** The facts that allowed a removal, in words; a word that is not known stays as it is. */
export function proofInWords(proof: readonly string[]): string {
  return proof.map((word) => WORDS[word] ?? word.replaceAll('_', ' ')).join('; ');
}
