/** Whether a cluster's version, when it is known, is at least `least`. Versions are `MAJOR.MINOR`. */
export function kubeAtLeast(version: string | undefined, least: string): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
