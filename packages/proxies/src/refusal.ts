/** The codes of a {@link ProxyRefusal}: for 403 and 407, and for any other answer. Silence has the latter. */
export const PROXY_REFUSED = 'ERR_PROXY_REFUSED';
/** The `code` of an error that a proxy caused, rather than the host behind it. */
export const PROXY_FAILED = 'ERR_PROXY';

/** A proxy let nobody through. What it says in place of a way must never be taken for the other end's word. */
export class ProxyRefusal extends Error {
  readonly code: typeof PROXY_REFUSED | typeof PROXY_FAILED;

  /** @param status what it answered */
  constructor(proxy: URL, status: number) {
    super(`the proxy ${proxy.host} answered ${status}`);
    this.code = status === 403 || status === 407 ? PROXY_REFUSED : PROXY_FAILED;
  }
}

/** A proxy took a connection and made no way. */
export class ProxySilence extends Error {
  readonly code = PROXY_FAILED;

  constructor(proxy: URL, afterMs: number) {
    super(`the proxy ${proxy.host} made no way within ${afterMs / 1000} s`);
  }
}
