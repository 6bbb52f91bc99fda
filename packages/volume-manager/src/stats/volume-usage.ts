import type { PodVolumeUsage, VolumeUsage } from '@rxlet/agent-api/volumes';
import { type Clock, errorMessage, type Logger, withDeadline } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import type { ActualState, ActualVolume } from '../reconcile/volume-states.ts';
import { measureDirectory } from './measure-directory.ts';

/** Ports of {@link createVolumeUsage}. */
export interface VolumeUsagePorts {
  readonly hostFiles: Pick<HostFiles, 'openDirectory'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly actual: Pick<ActualState, 'ofPod'>;
}

/** Longest time for the driver of a volume. Callers wait longer than that, so that they get the usage of the pod's other volumes. */
const DRIVER_TIMEOUT_MS = 30_000;

/** Plugins whose volumes are on the node because of the pod. */
const measuredPlugins: ReadonlySet<string> = new Set([
  'kubernetes.io/empty-dir',
  'kubernetes.io/configmap',
  'kubernetes.io/secret',
  'kubernetes.io/downward-api',
  'kubernetes.io/projected',
]);

/** Creates the function that measures the volumes of a pod: by their drivers, or by their files. */
export function createVolumeUsage({ hostFiles, clock, logger, actual }: VolumeUsagePorts): PodVolumeUsage['usage'] {
  const measure = async (
    uid: string,
    { plugin, mounted }: ActualVolume,
    signal: AbortSignal | undefined,
    onMeasured: (source: string, durationMs: number) => void,
  ): Promise<VolumeUsage | undefined> => {
    let source: string | undefined;
    const beganMs = clock.monotonicNow();
    try {
      if (plugin.usage !== undefined) {
        const byDriver = plugin.usage.bind(plugin, uid, mounted.innerVolumeSpecName);
        return await withDeadline(clock, DRIVER_TIMEOUT_MS, signal, (bounded) =>
          byDriver({ signal: bounded, onDriver: (name) => (source = name) }),
        );
      }
      if (!measuredPlugins.has(plugin.name)) return undefined;
      source = 'du';
      await using directory = await hostFiles.openDirectory(mounted.hostPath);
      return directory && (await measureDirectory(directory, signal));
    } finally {
      if (source !== undefined) onMeasured(source, clock.monotonicNow() - beganMs);
    }
  };

  return async (uid, signal, onMeasured = () => undefined) => {
    const found = new Map<string, VolumeUsage>();
    const measureOne = async (volume: ActualVolume): Promise<void> => {
      try {
        const usage = await measure(uid, volume, signal, onMeasured);
        if (usage !== undefined) found.set(volume.name, usage);
      } catch (error) {
        signal?.throwIfAborted();
        logger.warn('cannot measure a volume', { podUid: uid, volume: volume.name, error: errorMessage(error) });
      }
    };
    const volumes = [...actual.ofPod(uid).values()];
    const byDrivers = volumes.filter(({ plugin }) => plugin.usage !== undefined).map(measureOne);
    const byFiles = async (): Promise<void> => {
      // One after another: each needs file descriptors and a thread.
      for (const volume of volumes) if (volume.plugin.usage === undefined) await measureOne(volume);
    };
    await Promise.all([...byDrivers, byFiles()]);
    return found;
  };
}
