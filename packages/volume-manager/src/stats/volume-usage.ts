import type { PodVolumeUsage, VolumeUsage } from '@rxlet/agent-api/volumes';
import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import type { ActualState, ActualVolume } from '../reconcile/volume-states.ts';
import { measureDirectory } from './measure-directory.ts';

/** Ports of {@link createVolumeUsage}. */
export interface VolumeUsagePorts {
  readonly hostFiles: Pick<HostFiles, 'openDirectory'>;
  readonly clock: Pick<Clock, 'monotonicNow'>;
  readonly logger: Logger;
  readonly actual: Pick<ActualState, 'ofPod'>;
}

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
        return await plugin.usage(uid, mounted.innerVolumeSpecName, { signal, onDriver: (name) => (source = name) });
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
    for (const volume of actual.ofPod(uid).values()) {
      try {
        const usage = await measure(uid, volume, signal, onMeasured);
        if (usage !== undefined) found.set(volume.name, usage);
      } catch (error) {
        signal?.throwIfAborted();
        logger.warn('cannot measure a volume', { podUid: uid, volume: volume.name, error: errorMessage(error) });
      }
    }
    return found;
  };
}
