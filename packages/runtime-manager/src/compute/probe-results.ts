/** Last result of a probe. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** Container id (without the runtime's name) → last result; a container without an entry has had no result yet. */
export type ProbeResults = ReadonlyMap<string, ProbeResult>;
