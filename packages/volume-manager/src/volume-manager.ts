import { type Journal, noopJournal } from '@rxlet/agent-api/journal';
import { realpath } from 'node:fs/promises';
import type {
  PersistentVolumes,
  PodVolumes,
  PodVolumeUsage,
  VolumeHost,
  VolumePluginSet,
  VolumeTranslation,
} from '@rxlet/agent-api/volumes';
import { type Clock, type Logger, type Random, withDeadline } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import { createDeviceMap } from './block/device-map.ts';
import { createFileSystemPrograms } from './block/file-system-programs.ts';
import type { FileSystems } from './block/file-systems.ts';
import type { LoopDevices } from './block/loop-devices.ts';
import { createLoopPrograms } from './block/loop-programs.ts';
import { createVolumeExpansion } from './expand/volume-expansion.ts';
import { createMountPrograms } from './mount/mount-programs.ts';
import type { Mounter } from './mount/mounter.ts';
import { supportsNoSwap } from './mount/tmpfs-options.ts';
import { createVolumeMounts } from './mount/volume-mounts.ts';
import type { PayloadSources } from './payload/payload-sources.ts';
import { createGroupChanges, type GroupChanges } from './ownership/group-changes.ts';
import { giveToGroup } from './plugins/empty-directory.ts';
import type { HostPathMaker } from '@rxlet/agent-api/volumes';
import { createHostPathMaker } from './plugins/host-path-maker.ts';
import type { PluginContext } from './plugins/plugin-context.ts';
import { rejectTakenSources, standardPlugins } from './plugins/standard-plugins.ts';
import { createVolumeCleanUp } from './reconcile/clean-up-volumes.ts';
import { createVolumeAttachments, type WatchedNode } from './reconcile/volume-attachments.ts';
import { createVolumeMounting } from './reconcile/mount-volumes.ts';
import { createVolumeUnmounting } from './reconcile/unmount-volumes.ts';
import { isRecordedElsewhere, recordedVolumes } from './reconcile/recorded-volumes.ts';
import { createVolumeOperations } from './reconcile/volume-operations.ts';
import { createActualState } from './reconcile/volume-states.ts';
import type { SeLinuxPolicy } from '@rxlet/machine';
import { createVolumeUsage } from './stats/volume-usage.ts';
import { createSubPaths } from './sub-path/sub-paths.ts';
import { createVolumeMetrics } from './volume-metrics.ts';
import { volumePaths } from './volume-paths.ts';

/** Ports of {@link createVolumeManager}. */
export interface VolumeManagerPorts {
  /** Files of the agent; the root directory must be among their roots. */
  readonly files: NodeFiles;
  readonly hostFiles: Pick<HostFiles, 'openDirectory' | 'stat'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventRecorder;
  /** Default: none. */
  readonly metrics?: Metrics | undefined;
  /** Mounts of the node. Default: mount(8) and umount(8). */
  readonly mounter?: Mounter | undefined;
  /** Loop devices, which keep the devices of block volumes open. Default: losetup(8). */
  readonly loopDevices?: LoopDevices | undefined;
  /** File systems of disks. Default: blkid(8), fsck(8), mkfs(8) and others. */
  readonly fileSystems?: FileSystems | undefined;
  /** Creates missing hostPath files and directories. Default: on the node's disks. */
  readonly hostPaths?: HostPathMaker | undefined;
  /** Returns a path without links. Default: that of the node's disks. */
  readonly realPath?: ((path: string) => Promise<string>) | undefined;
  /** Default: nothing is recorded. */
  readonly journal?: Journal | undefined;
  /** Origins of the files of configMap, secret, downwardAPI and projected volumes. */
  readonly sources: PayloadSources;
  /** Claims and persistent volumes. Default: none, so that pods with claims fail. */
  readonly persistentVolumes?: PersistentVolumes | undefined;
  /** Returns further kinds of volumes. Called by `start`. Default: none. */
  readonly plugins?: (() => readonly VolumePluginSet[]) | undefined;
  /** Reads SELinux of the node, once; `undefined` where it is not enabled. Default: it is not. */
  readonly seLinux?: (() => Promise<SeLinuxPolicy | undefined>) | undefined;
  /** Default: none, so that volumes which must be attached to the node fail. */
  readonly node?: WatchedNode | undefined;
}

/** Options of {@link createVolumeManager}. */
export interface VolumeManagerOptions {
  /** Directory of the agent; the volumes are below `pods`. */
  readonly rootDirectory: string;
  /** Keeps memory volumes out of swap. Default: where the kernel supports it. */
  readonly supportsNoSwap?: boolean | undefined;
}

/** Mounts the volumes of pods, keeps their content up to date and removes them with the pod. Disposal waits for the operations in flight. */
export interface VolumeManager extends PodVolumes, PodVolumeUsage, AsyncDisposable {
  /** Creates the directory of the pods. Must be called first. */
  start(): Promise<void>;
  /** Waits until the pod's volumes are set up, and brings their content up to date. Must be called before each sync of the pod's containers. */
  prepare(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Retries the volumes of a pod whose objects have changed. */
  objectsChanged(podUid: string): void;
  /** Unmounts and removes the volumes of a pod that has ended. After a failure, {@link VolumeManager.cleanUp} retries it. */
  tearDown(podUid: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes the volumes of unknown pods, and of ended pods whose teardown has failed. Failures are logged and retried with exponential back-off. Removals that
   * take long go on in the background, for at most 30 seconds and until the signal aborts.
   */
  cleanUp(pods: KnownPods, signal: AbortSignal): Promise<void>;
  /** Reports whether volumes in memory stay out of swap. False before the start. */
  keepsMemoryOutOfSwap(): boolean;
  /** Returns the names of the volumes that the control plane must not detach, as they belong into the status of the node; `undefined` before the start. */
  volumesInUse(): readonly string[] | undefined;
  /** Volumes by the UID of their pod, for people. */
  inspect(): Readonly<Record<string, readonly string[]>>;
}

/** Pods that keep their volumes. */
export interface KnownPods {
  isKnown(podUid: string): boolean;
  /** Reports whether containers of the pod may be running. */
  mayRun(podUid: string): boolean;
}

const DISPOSAL_TIMEOUT_MS = 5_000;

/** Creates a {@link VolumeManager}. What an earlier agent set up is found on the disk and in the mount table. */
export function createVolumeManager(ports: VolumeManagerPorts, options: VolumeManagerOptions): VolumeManager {
  const { files, hostFiles, clock, logger, journal = noopJournal } = ports;
  let noSwap = options.supportsNoSwap;
  const groupChanges = createGroupChanges(clock);
  const context = pluginContext(ports, options, groupChanges, () => noSwap ?? false);
  const { paths } = context;
  const devices = createDeviceMap(context);
  /** The standard plugins; `start` adds the contributed ones. */
  const plugins = [...standardPlugins(context)];
  /** Translations of the contributed plugins. */
  const translations: VolumeTranslation[] = [];
  const subPaths = createSubPaths(context);
  const operations = createVolumeOperations(clock);
  const actual = createActualState();
  const metrics = createVolumeMetrics(ports.metrics ?? noopMetrics, clock);
  const attachments = createVolumeAttachments(ports.node);
  let isStarted = false;
  const { persistentVolumes, events } = ports;
  const expansion = createVolumeExpansion({ clock, logger, events, persistentVolumes, operations, actual, metrics });
  const mounting = createVolumeMounting({
    ...ports,
    journal,
    expansion,
    attachments,
    persistentVolumes,
    mapping: { devices, paths, realPath: context.realPath },
    isRecordedElsewhere: (name, uid) => isRecordedElsewhere({ files, paths, plugins }, name, uid),
    plugins,
    translations,
    operations,
    actual,
    metrics,
  });
  const unmounting = createVolumeUnmounting({
    ...{ files, paths, plugins, subPaths, groupChanges, operations, actual, metrics, journal },
  });
  /** UIDs of ended pods whose teardown has failed. */
  const leftOver = new Set<string>();
  const unmount = async (uid: string, signal: AbortSignal): Promise<void> => {
    await unmounting.unmount(uid, () => mounting.isWanted(uid), signal);
    if (!mounting.isWanted(uid)) attachments.release(uid);
    leftOver.delete(uid);
  };
  const cleanUp = createVolumeCleanUp({ clock, logger, unmount });

  return {
    mountedVolumes: (uid) =>
      new Map(
        [...actual.ofPod(uid)].filter(([, volume]) => volume.isCertain).map(([name, { mounted }]) => [name, mounted]),
      ),
    makeSubPath: (volumePath, subPath, mode) => subPaths.make(volumePath, subPath, mode),
    prepareSubPath: (request, signal) =>
      withDeadline(clock, Infinity, signal, (bounded) =>
        operations.inOrder(request.podUid, request.innerVolumeSpecName, () => subPaths.prepare(request, bounded)),
      ),
    usage: createVolumeUsage({ hostFiles, clock, logger, actual }),
    // The mount table has paths without links, which can be found only of what exists.
    async start() {
      await files.makeDirectory(paths.pods, 0o750);
      const problem = context.mounter.problem();
      if (problem !== undefined) logger.warn('only volumes without mounts can be set up', { cause: problem });
      noSwap ??= await supportsNoSwap(context, options.rootDirectory);
      const contributed = ports.plugins?.() ?? [];
      rejectTakenSources(contributed, plugins);
      plugins.push(...contributed.flatMap((set) => set.create(volumeHost(ports, context, devices))));
      translations.push(...contributed.flatMap(({ translation }) => translation ?? []));
      for (const { podUid, isDamaged, attachedAs } of await recordedVolumes({ files, paths, plugins })) {
        metrics.reconstructed(isDamaged);
        if (attachedAs !== undefined) attachments.restore(podUid, attachedAs);
      }
      isStarted = true;
    },
    prepare: (pod, signal) => mounting.mount(pod, signal),
    objectsChanged: (uid) => mounting.retry(uid),
    async tearDown(uid, signal) {
      mounting.forget(uid);
      leftOver.add(uid);
      // A file system may never answer; the end of a pod must not wait for that.
      await withDeadline(clock, Infinity, signal, (bounded) => unmount(uid, bounded));
    },
    async cleanUp({ isKnown, mayRun }, signal) {
      operations.collectGarbage();
      expansion.retain(new Set(mounting.desired().map(({ volume }) => volume.name)));
      const desired = mounting.desired().map(({ plugin }) => plugin.name);
      const found = actual.pods().flatMap((uid) => [...actual.ofPod(uid).values()].map(({ plugin }) => plugin.name));
      metrics.setTotals('desired_state_of_world', desired);
      metrics.setTotals('actual_state_of_world', found);
      const mayRemove = (uid: string): boolean =>
        (!isKnown(uid) || leftOver.has(uid)) && !mounting.isWanted(uid) && !mayRun(uid);
      const { cleaned, failed } = await cleanUp.run(await files.list(paths.pods), mayRemove, signal);
      metrics.setOrphans(cleaned, failed);
    },
    keepsMemoryOutOfSwap: () => noSwap ?? false,
    volumesInUse: () => (isStarted ? attachments.inUse() : undefined),
    inspect: () => Object.fromEntries(actual.pods().map((uid) => [uid, [...actual.ofPod(uid).keys()]])),
    async [Symbol.asyncDispose]() {
      mounting[Symbol.dispose]();
      // A file system of an unreachable server may never answer.
      await withDeadline(clock, DISPOSAL_TIMEOUT_MS, undefined, async () => {
        await Promise.all([expansion[Symbol.asyncDispose](), groupChanges[Symbol.asyncDispose]()]);
        await operations.idle();
      }).catch(() => undefined);
    },
  };
}

function pluginContext(
  ports: VolumeManagerPorts,
  { rootDirectory }: VolumeManagerOptions,
  groupChanges: GroupChanges,
  keepsOutOfSwap: () => boolean,
): PluginContext {
  const { clock, mounter = createMountPrograms({ clock }), hostPaths = createHostPathMaker() } = ports;
  const { realPath = realpath, loopDevices = createLoopPrograms({ clock }) } = ports;
  const { fileSystems = createFileSystemPrograms(ports) } = ports;
  return {
    ...ports,
    mounter,
    loopDevices,
    fileSystems,
    hostPaths,
    realPath,
    mounts: createVolumeMounts({ mounter, files: ports.files, rootDirectory, realPath }),
    paths: volumePaths(rootDirectory),
    rootDirectory,
    groupChanges,
    supportsNoSwap: keepsOutOfSwap,
  };
}

function volumeHost(ports: VolumeManagerPorts, context: PluginContext, devices: VolumeHost['devices']): VolumeHost {
  const { mounts, paths, realPath, groupChanges } = context;
  const { seLinux: readSeLinux = async () => undefined } = ports;
  let seLinux: Promise<SeLinuxPolicy | undefined> | undefined;
  return {
    ...{ mounts, paths, devices, realPath },
    giveToGroup: (path, group, { pod, signal } = {}) =>
      groupChanges.run(path, signal, (bounded) => giveToGroup(context, path, group, { pod, signal: bounded })),
    seLinux: () =>
      (seLinux ??= readSeLinux().catch((error: unknown) => {
        seLinux = undefined;
        throw error;
      })),
  };
}
