import type { EC2Client } from '@aws-sdk/client-ec2';
import type { Redactor } from '@rungar/model';

const HEADER = 'x-amz-security-token';

/**
 * Keeps the session token of temporary credentials out of whatever is said, from its first use until the next one is
 * used: it goes out with every call, and whoever answers may repeat it.
 * @returns what lets go of it
 */
export function holdSessionToken(clients: readonly EC2Client[], redactor: Redactor): () => void {
  let held: string | undefined;
  let release = (): void => {};
  const hold = (token: string | undefined): void => {
    if (token === undefined || token === held) return;
    release();
    held = token;
    release = redactor.hold(token);
  };
  for (const { middlewareStack } of clients) {
    middlewareStack.add(
      (next) => (args) => {
        hold((args.request as { readonly headers: Readonly<Record<string, string>> }).headers[HEADER]);
        return next(args);
      },
      { step: 'deserialize', name: 'holdSessionToken' }, // where a request is as it will be sent
    );
  }
  return () => release();
}
