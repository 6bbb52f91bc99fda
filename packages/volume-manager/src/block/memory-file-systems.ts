import type { FileSystem, FileSystems } from './file-systems.ts';

/** File systems in memory, for tests. */
export interface MemoryFileSystems extends FileSystems {
  /** Devices with a file system, which tests may set. */
  readonly formatted: Map<string, FileSystem['type']>;
  /** Consulted before each call: it may throw, or return a promise that the call waits for. */
  fault: ((operation: 'prepare' | 'grow', device: string) => void | Promise<void>) | undefined;
}

/** Creates {@link MemoryFileSystems}. */
export function createMemoryFileSystems(): MemoryFileSystems {
  const systems: MemoryFileSystems = {
    async prepare(device, { type, readOnly }) {
      await systems.fault?.('prepare', device);
      if (systems.formatted.has(device)) return;
      if (readOnly) throw new Error(`cannot mount unformatted disk ${device}`);
      systems.formatted.set(device, type);
    },
    grow: async (device) => systems.fault?.('grow', device),
    formatted: new Map(),
    fault: undefined,
  };
  return systems;
}
