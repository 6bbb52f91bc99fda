import { goQuote } from '@rxlet/component-base/go';

/** A version of the CSI, such as `1.9.0`. */
export type DriverVersion = readonly number[];

/** Returns the highest version of a driver that the agent can talk to. @throws Error with the kubelet's message when there is none */
export function highestSupportedVersion(driverName: string, versions: readonly string[]): DriverVersion {
  const failure = `RegisterPlugin for CSI driver ${goQuote(driverName)} failed.`;
  if (versions.length === 0)
    throw new Error(`kubernetes.io/csi: ${failure} Plugin returned an empty list for supported versions`);
  const parsed = versions.map(parseVersion);
  const known = parsed.filter((version) => version !== undefined).filter(([major = 0]) => major <= 1);
  const highest = known.toSorted(compareVersions).at(-1);
  if (highest?.[0] === 1) return highest;
  const list = `[${versions.map(goQuote).join(' ')}]`;
  const unparsable = versions.find((_, index) => parsed[index] === undefined);
  const cause =
    highest === undefined
      ? `could not find a highest supported version from versions ([${versions.join(' ')}]) reported by this driver: ${
          unparsable === undefined ? '<nil>' : `could not parse ${goQuote(unparsable)} as version`
        }`
      : `highest supported version reported by driver is ${highest.join('.')}, must be v1.x`;
  throw new Error(`kubernetes.io/csi: ${failure} None of the versions specified ${list} are supported. err=${cause}`);
}

/** Orders versions, the older one first. */
export function compareVersions(one: DriverVersion, other: DriverVersion): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Parses `v1.2.3`, with or without `v` and with any suffix, as Go's ParseGeneric does. */
function parseVersion(text: string): DriverVersion | undefined {
  const [, numbers] = /^\s*v?(\d+(?:\.\d+)+)/.exec(text) ?? [];
  return numbers?.split('.').map(Number);
}
