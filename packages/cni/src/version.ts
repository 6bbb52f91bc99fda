/** Versions of the CNI specification that this package speaks, oldest first. */
export const CNI_VERSIONS: readonly string[] = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'];

/** Version of a configuration that names none. */
export const DEFAULT_CNI_VERSION = '0.2.0';

/** Reports whether `version` is `minimum` or later. Both must be of the form `x.y.z`. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [own, other] = [version, minimum].map((text) => text.split('.').map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (own![index] ?? 0) - (other![index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Returns the latest of `versions` that this package speaks; `undefined` when there is none. */
export function latestKnownVersion(versions: readonly string[]): string | undefined {
  return CNI_VERSIONS.findLast((version) => versions.includes(version));
}
