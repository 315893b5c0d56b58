import type { Clock } from '@rungar/model';
import type { ClusterApi, LiveObject, ObjectRef } from './api.js';

interface LeaseObject extends LiveObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** How long a holder's last sign counts where its lease does not say it. */
const UNSAID_SECONDS = 60;

/**
 * A right that one process of several has at a time, kept in a Lease object. How old a holder's last sign is, is
 * measured from when this process first saw it, so that two machines' clocks are never compared.
 */
export class ClusterLease {
  readonly #ref: ObjectRef & { readonly namespace: string };
  readonly #me: string;
  readonly #api: ClusterApi;
  readonly #clock: Clock;
  readonly #seconds: number;
  #seen: { readonly sign: string; readonly at: number } | undefined;

  /**
   * @param me a name no other process has
   * @param lifeMs how long a sign of this process counts: more than twice the longest time between two of them
   */
  constructor(namespace: string, name: string, me: string, api: ClusterApi, clock: Clock, lifeMs: number) {
    this.#ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
    this.#me = me;
    this.#api = api;
    this.#clock = clock;
    this.#seconds = Math.ceil(lifeMs / 1000);
  }

  /** Takes or renews it; false while another process has it. */
  async hold(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#api.read<LeaseObject>(this.#ref, signal);
    if (lease === undefined)
      return this.#api.create(this.#mine({ name: this.#ref.name, namespace: this.#ref.namespace }), signal);
    if (!this.#isFree(lease)) return false;
    return this.#api.update(this.#mine(lease.metadata), signal);
  }

  /** Gives it back, when this process has it. */
  async release(signal: AbortSignal): Promise<void> {
    const lease = await this.#api.read<LeaseObject>(this.#ref, signal);
    if (lease?.spec?.holderIdentity !== this.#me) return;
    await this.#api.update({ ...lease, spec: { ...lease.spec, holderIdentity: '' } }, signal);
  }

  #isFree({ spec }: LeaseObject): boolean {
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === this.#me) return true;
    const sign = `${holder} ${spec?.renewTime ?? ''}`;
    const now = this.#clock.now();
    if (this.#seen?.sign !== sign) this.#seen = { sign, at: now };
    return now - this.#seen.at >= (spec?.leaseDurationSeconds ?? UNSAID_SECONDS) * 1000;
  }

  #mine(metadata: LeaseObject['metadata']): LeaseObject {
    const { apiVersion, kind } = this.#ref;
    const renewTime = new Date(this.#clock.wallNow()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: this.#me, leaseDurationSeconds: this.#seconds, renewTime };
    return { apiVersion, kind, metadata, spec };
  }
}
