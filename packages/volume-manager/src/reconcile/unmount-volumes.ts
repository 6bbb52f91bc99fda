import { errorMessage } from '@rxlet/component-base';
import { inSpan, type Journal } from '@rxlet/agent-api/journal';
import type { NodeFiles } from '@rxlet/node-files';
import type { VolumeMode } from '@rxlet/agent-api/volumes';
import type { GroupChanges } from '../ownership/group-changes.ts';
import type { SubPaths } from '../sub-path/sub-paths.ts';
import { escapePluginName, type VolumePaths } from '../volume-paths.ts';
import type { VolumeMetrics } from '../volume-metrics.ts';
import { type AnyVolumePlugin, operationMessage } from './desired-volumes.ts';
import { limitVolumes, type LimitVolumes, type VolumeOperations } from './volume-operations.ts';
import type { ActualState } from './volume-states.ts';

/** Ports of {@link createVolumeUnmounting}. */
export interface VolumeUnmountingPorts {
  readonly files: NodeFiles;
  readonly paths: VolumePaths;
  readonly plugins: readonly AnyVolumePlugin[];
  readonly subPaths: SubPaths;
  readonly groupChanges: Pick<GroupChanges, 'cancel'>;
  readonly operations: VolumeOperations;
  readonly actual: ActualState;
  readonly metrics: VolumeMetrics;
  readonly journal: Journal;
}

/** Removes the volumes of pods that have ended, whether this agent or an earlier one set them up. */
export interface VolumeUnmounting {
  /**
   * Unmounts and removes all volumes of a pod, and the directories that become empty. All volumes are tried; the failures are joined.
   *
   * @param isWanted reports whether the pod wants its volumes again; nothing is removed then
   */
  unmount(podUid: string, isWanted: () => boolean, signal?: AbortSignal): Promise<void>;
}

/** A volume of a pod on disk or in the agent's state. */
interface FoundVolume {
  /** Name of its directory: that of a persistent volume, otherwise that in the pod. */
  readonly name: string;
  readonly plugin: AnyVolumePlugin | undefined;
  readonly pluginName: string;
  readonly mode: VolumeMode;
}

/** Creates {@link VolumeUnmounting}. */
export function createVolumeUnmounting(ports: VolumeUnmountingPorts): VolumeUnmounting {
  const { files, paths, plugins, subPaths, groupChanges, operations, actual, metrics, journal } = ports;
  const pluginIn = (directory: string, mode: VolumeMode): AnyVolumePlugin | undefined =>
    plugins.find((plugin) => plugin.mode === mode && escapePluginName(plugin.name) === directory);

  /** Volumes of the agent's state and of the disk; one of both is listed once. */
  const findVolumes = async (uid: string): Promise<readonly FoundVolume[]> => {
    const found = new Map<string, FoundVolume>();
    for (const { plugin, mounted } of actual.ofPod(uid).values()) {
      const name = mounted.innerVolumeSpecName;
      const { name: pluginName, mode } = plugin;
      found.set(`${mode}/${pluginName}/${name}`, { name, plugin, pluginName, mode });
    }
    const addOnDisk = async (parent: string, mode: VolumeMode): Promise<void> => {
      for (const directory of await files.list(parent)) {
        const plugin = pluginIn(directory, mode);
        const pluginName = plugin?.name ?? directory.replaceAll('~', '/');
        for (const name of await files.list(`${parent}/${directory}`))
          found.set(`${mode}/${pluginName}/${name}`, { name, plugin, pluginName, mode });
      }
    };
    await addOnDisk(paths.volumes(uid), 'Filesystem');
    await addOnDisk(paths.volumeDevices(uid), 'Block');
    return [...found.values()];
  };

  const unmountOne = async (
    uid: string,
    { name, plugin, pluginName, mode }: FoundVolume,
    isWanted: () => boolean,
    limited: LimitVolumes,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    if (plugin === undefined) throw new Error(`no volume plugin matched name: ${pluginName}`);
    const tearDown = async (): Promise<void> => {
      if (isWanted()) return;
      const known = [...actual.ofPod(uid).values()].filter(
        ({ mounted, plugin: by }) => by === plugin && mounted.innerVolumeSpecName === name,
      );
      // Until this has succeeded, the volume may be there in part.
      for (const volume of known) actual.set(uid, { ...volume, isCertain: false });
      const isTranslated = known.some((volume) => volume.isTranslated);
      const measured = { plugin: pluginName, isTranslated };
      await metrics.measure(mode === 'Block' ? 'unmap_volume' : 'volume_unmount', measured, async () => {
        if (mode === 'Filesystem') {
          await groupChanges.cancel(paths.volume(uid, pluginName, name));
          await subPaths.clean(uid, name, signal);
        }
        await plugin.tearDown(uid, name, signal);
      });
      for (const volume of known) actual.delete(uid, volume.name);
    };
    const span = { kind: 'volume.unmount', subject: name, attributes: { plugin: pluginName } } as const;
    const work = (): Promise<void> => limited(tearDown, signal);
    await inSpan(journal, { uid }, span, () => operations.run(uid, name, work, signal), signal);
  };

  /** Sub paths of volumes that have no directory of their own, such as a hostPath of an agent that was killed. */
  const cleanLeftSubPaths = async (uid: string, signal: AbortSignal | undefined): Promise<void> => {
    for (const volume of await files.list(paths.subPaths(uid)))
      await operations.inOrder(uid, volume, () => subPaths.clean(uid, volume, signal));
  };

  const removeEmptyDirectories = async (uid: string): Promise<void> => {
    for (const parent of [paths.volumes(uid), paths.volumeDevices(uid), paths.plugins(uid)]) {
      for (const directory of await files.list(parent)) await files.removeEmptyDirectory(`${parent}/${directory}`);
      await files.removeEmptyDirectory(parent);
    }
    await files.removeEmptyDirectory(paths.subPaths(uid));
  };

  return {
    async unmount(uid, isWanted, signal) {
      const volumes = await findVolumes(uid);
      const limited = limitVolumes(volumes.length);
      const results = await Promise.allSettled(
        volumes.map((volume) => unmountOne(uid, volume, isWanted, limited, signal)),
      );
      signal?.throwIfAborted();
      const failures = results.flatMap((result, index) =>
        result.status === 'rejected'
          ? [operationMessage(failureOf(volumes[index]!), volumes[index]!.name, `: ${errorMessage(result.reason)}`)]
          : [],
      );
      if (isWanted()) return;
      if (failures.length > 0) throw new Error(failures.join('; '));
      await cleanLeftSubPaths(uid, signal);
      await removeEmptyDirectories(uid);
    },
  };
}

function failureOf({ mode }: FoundVolume): string {
  return mode === 'Block' ? 'UnmapVolume failed' : 'UnmountVolume.TearDown failed';
}
