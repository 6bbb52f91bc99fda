import type { LoopDevices } from './loop-devices.ts';

/** Loop devices in memory, for tests. */
export interface MemoryLoopDevices extends LoopDevices {
  /** Paths that have a loop device, in order. */
  readonly attached: readonly string[];
  /** Consulted before each call: it may throw. */
  fault: ((operation: 'attach' | 'detach', path: string) => void) | undefined;
}

/** Creates {@link MemoryLoopDevices}. */
export function createMemoryLoopDevices(): MemoryLoopDevices {
  const attached: string[] = [];
  const devices: MemoryLoopDevices = {
    async attach(path, signal) {
      devices.fault?.('attach', path);
      signal?.throwIfAborted();
      if (!attached.includes(path)) attached.push(path);
      return `/dev/loop${String(attached.indexOf(path))}`;
    },
    async detach(path, signal) {
      devices.fault?.('detach', path);
      signal?.throwIfAborted();
      const index = attached.indexOf(path);
      if (index !== -1) attached.splice(index, 1);
    },
    attached,
    fault: undefined,
  };
  return devices;
}
