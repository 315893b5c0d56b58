type Crypto = typeof import('node:crypto');

/**
 * The first `digits` lower-case hex digits of the SHA-256 of `text` in UTF-8. Node's crypto is loaded by the first call
 * and not by importing the package: loading it would be most of what the import costs.
 */
export function sha256Hex(text: string, digits: number): string {
  return crypto().hash('sha256', text, 'hex').slice(0, digits);
}

const crypto = (): Crypto => process.getBuiltinModule('node:crypto');
