import type { ApiRequest } from './recording.ts';

/** Times of the attempts of a node without credentials, in seconds since the first one, by what they are about. */
export type Attempts = Readonly<Record<string, readonly number[]>>;

/** Streams whose delays are not random. */
const REGULAR = /^(POST \S+\/nodes|GET \S+\/(leases|csinodes)\/)/;
/** Part by which numbers and times may differ. */
const TOLERANCE = 0.1;
const LATENCY_SECONDS = 0.3;

/** Returns the attempts. The agent withholds them, so that what only follows the answer of an API server is left out: events, and reads after a rejected request. */
export function attemptsWithoutCredentials(requests: readonly ApiRequest[], endSeconds: number): Attempts {
  const times = new Map<string, number[]>();
  for (const { t, method, path, query, client } of requests) {
    const isConsequence = path.includes('/events') || path.startsWith('/api/v1/nodes/') || query.includes('limit=');
    if (client !== 'none' || isConsequence || t > endSeconds) continue;
    const name = `${method} ${path}`;
    times.set(name, [...(times.get(name) ?? []), t]);
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, all.map((t) => round(t - all[0]!))]));
}

/** Returns the attempts, with those of the others where both are nearly the same. */
export function withTimesOf(attempts: Attempts, others: Attempts): Attempts {
  return Object.fromEntries(
    Object.entries(attempts).map(([name, mine]) => {
      const other = others[name] ?? [];
      const isSame =
        Math.abs(mine.length - other.length) <= Math.max(1, other.length * TOLERANCE) &&
        (!REGULAR.test(name) || mine.every((t, index) => isNear(t, other[index])));
      return [name, isSame ? other : mine];
    }),
  );
}

function isNear(time: number, other: number = time): boolean {
  return Math.abs(time - other) <= other * TOLERANCE + LATENCY_SECONDS;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
