import type { SystemdSlices } from '../systemd/slices.ts';

/** Slices of systemd in memory. */
export interface MemorySlices extends SystemdSlices {
  /** Returns the properties of the started slices, as they were last set. */
  properties(): ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Creates slices in memory, for tests. */
export function createMemorySlices(): MemorySlices {
  const slices = new Map<string, Record<string, string>>();
  return {
    properties: () => slices,
    async start(slice) {
      if (!slices.has(slice)) slices.set(slice, {});
    },
    async setProperties(slice, properties) {
      const known = slices.get(slice) ?? {};
      slices.set(slice, known);
      for (const property of properties) {
        const [name = '', ...value] = property.split('=');
        known[name] = value.join('=');
      }
    },
    async stop(slice) {
      slices.delete(slice);
    },
  };
}
