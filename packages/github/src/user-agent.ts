/** Who asks, as GitHub's support wants to see it in every request. */
export interface ClientIdentity {
  readonly system: string;
  readonly version: string;
  readonly commitSha: string;
  /** Which part of the system: `daemon`. */
  readonly subsystem: string;
}

/**
 * The `User-Agent` of a request: the JSON form that GitHub's own scale set clients send.
 * @param scaleSetId 0 while it is not known, or for requests that are about none
 */
export function userAgentOf(client: ClientIdentity, scaleSetId = 0): string {
  return JSON.stringify({
    system: client.system,
    version: client.version,
    commit_sha: client.commitSha,
    scale_set_id: scaleSetId,
    subsystem: client.subsystem,
    build_version: client.version,
    build_commit_sha: client.commitSha,
    kind: 'scaleset',
  });
}
