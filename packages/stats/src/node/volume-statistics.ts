import type { PodVolumes, PodVolumeUsage } from '@rxlet/agent-api/volumes';
import {
  type Clock,
  createLifetime,
  createSemaphore,
  errorMessage,
  type Logger,
  withDeadline,
} from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { FileSystems, MeasuredVolume, PodVolumeStatistics } from '../summary/pod-statistics.ts';
import { claimOf, isLocalEphemeral, measureOf } from './volume-kinds.ts';

/** Ports of {@link createVolumeStatistics}. */
export interface VolumeStatisticsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fileSystems: Pick<FileSystems, 'at'>;
  readonly volumes: Pick<PodVolumes, 'mountedVolumes'>;
  readonly usage: PodVolumeUsage;
  /** Called after each measurement, with its source as the kubelet names it. */
  readonly onMeasured?: ((source: string, durationMs: number) => void) | undefined;
}

/** Options of {@link createVolumeStatistics}. */
export interface VolumeStatisticsOptions {
  /** Age at which a measurement is repeated, in milliseconds (KubeletConfiguration `volumeStatsAggPeriod`). Negative: volumes are not measured. Default: one minute. */
  readonly periodMs?: number | undefined;
}

/** Statistics of volumes, measured on request. */
export interface VolumeStatistics extends PodVolumeStatistics, AsyncDisposable {
  /**
   * Measures the volumes of these pods, unless they were measured within the period, and forgets other pods. Resolves after two seconds at the latest: what is
   * still being measured, such as a large directory or a file system that does not answer, is part of a later result.
   */
  refresh(pods: readonly Pod[], signal?: AbortSignal): Promise<void>;
  /**
   * Measures the volumes of the pods with these UIDs, unless they were measured in the last seconds, and forgets pods that are not in `pods`. A measurement that takes long
   * is repeated less often, so that it takes a twentieth of the time at most.
   */
  refreshSoon(pods: readonly Pod[], podUids: ReadonlySet<string>, signal?: AbortSignal): Promise<void>;
}

const DEFAULT_PERIOD_MS = 60_000;
const MAX_WAIT_MS = 2000;
/** Age at which {@link VolumeStatistics.refreshSoon} measures again: less than the period of 10 s in which limits are checked. */
const SOON_MS = 5_000;
/** Pause after a measurement, as a multiple of its duration. */
const PAUSE_FACTOR = 20;
const MAX_MEASURE_MS = 120_000;
/** Longest wait for the file system of a volume, which may be that of a server. */
const FILE_SYSTEM_TIMEOUT_MS = 10_000;
/** Calls to such file systems at a time. Each holds a thread, of four, until it is answered. */
const MAX_CALLS = 2;

/** Creates {@link VolumeStatistics}. */
export function createVolumeStatistics(
  ports: VolumeStatisticsPorts,
  { periodMs = DEFAULT_PERIOD_MS }: VolumeStatisticsOptions = {},
): VolumeStatistics {
  const { clock, logger, fileSystems, volumes, usage, onMeasured } = ports;
  const lifetime = createLifetime();
  const measured = new Map<string, Measurement>();
  const running = new Map<string, Promise<void>>();

  const permits = createSemaphore(MAX_CALLS);
  /** Paths whose file systems have not answered. */
  const unanswered = new Set<string>();

  const callFileSystem = async (path: string): ReturnType<FileSystems['at']> => {
    unanswered.add(path);
    const beganMs = clock.monotonicNow();
    try {
      return await fileSystems.at(path);
    } finally {
      unanswered.delete(path);
      onMeasured?.('statfs', clock.monotonicNow() - beganMs);
    }
  };
  /** Measures a file system that may never answer. */
  const measureFileSystem = async (path: string, signal: AbortSignal): ReturnType<FileSystems['at']> => {
    try {
      if (unanswered.has(path)) throw new Error('the file system has not answered an earlier call');
      return await withDeadline(clock, FILE_SYSTEM_TIMEOUT_MS, signal, (bounded) =>
        permits.run(() => callFileSystem(path), bounded),
      );
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('cannot measure the file system of a volume', { path, error: errorMessage(error) });
      return undefined;
    }
  };

  const measurePod = async (
    pod: Pod,
    mounted: ReturnType<PodVolumes['mountedVolumes']>,
    signal: AbortSignal,
  ): Promise<readonly MeasuredVolume[]> => {
    const byFiles = await usage.usage(podUid(pod), signal, onMeasured);
    const found: MeasuredVolume[] = [];
    for (const volume of pod.spec?.volumes ?? []) {
      const path = mounted.get(volume.name)?.hostPath ?? '';
      const measure = measureOf(volume);
      const used = byFiles.get(volume.name);
      // A block volume has no path, and can be measured by its driver alone.
      if (path === '' && used?.limits === undefined) continue;
      if (measure === 'none' || (measure === 'files' && used === undefined)) continue;
      // A driver knows its volume better than the file system, whose size may be that of a whole pool.
      const space =
        used?.limits ?? (await (used === undefined ? measureFileSystem(path, signal) : fileSystems.at(path)));
      if (space === undefined) continue;
      const { capacityBytes, availableBytes, inodes = 0, inodesFree = 0 } = space;
      const usedBytes = used?.usedBytes ?? ('usedBytes' in space ? space.usedBytes : 0);
      const pvcRef = claimOf(pod, volume);
      found.push({
        isEphemeral: isLocalEphemeral(volume),
        stats: {
          time: clock.now(),
          availableBytes,
          capacityBytes,
          usedBytes,
          inodesFree,
          inodes,
          inodesUsed: used?.inodes ?? inodes - inodesFree,
          name: volume.name,
          ...(pvcRef && { pvcRef }),
        },
      });
    }
    return found;
  };

  const refreshPod = (pod: Pod): Promise<void> => {
    const uid = podUid(pod);
    const known = running.get(uid);
    if (known !== undefined) return known;
    const beganMs = clock.monotonicNow();
    const mounted = volumes.mountedVolumes(uid);
    const names = new Set(mounted.keys());
    const work = withDeadline(clock, MAX_MEASURE_MS, lifetime.signal, (bounded) => measurePod(pod, mounted, bounded))
      .then((found) => {
        const atMs = clock.monotonicNow();
        measured.set(uid, { atMs, durationMs: atMs - beganMs, names, volumes: found });
      })
      .catch((error: unknown) => {
        if (lifetime.signal.aborted) return;
        logger.warn('cannot measure the volumes of a pod', { podUid: uid, error: errorMessage(error) });
      })
      .finally(() => running.delete(uid));
    running.set(uid, lifetime.track(work));
    return work;
  };

  const measureDue = async (
    pods: readonly Pod[],
    pauseMs: (last: Measurement) => number,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const nowMs = clock.monotonicNow();
    const due = pods.filter((pod) => {
      const uid = podUid(pod);
      const last = measured.get(uid);
      if (last === undefined || nowMs - last.atMs >= pauseMs(last)) return true;
      // After a start of the agent, volumes of running pods are mounted again after the first measurement.
      return [...volumes.mountedVolumes(uid).keys()].some((name) => !last.names.has(name));
    });
    const work = Promise.all(due.map(refreshPod));
    await withDeadline(clock, MAX_WAIT_MS, signal, () => work).catch(() => signal?.throwIfAborted());
  };

  const forgetOthers = (pods: readonly Pod[]): void => {
    const present = new Set(pods.map(podUid));
    for (const uid of measured.keys()) if (!present.has(uid)) measured.delete(uid);
  };

  return {
    ofPod: (uid) => measured.get(uid)?.volumes,
    async refresh(pods, signal) {
      if (periodMs < 0) return;
      forgetOthers(pods);
      await measureDue(pods, () => periodMs, signal);
    },
    async refreshSoon(pods, podUids, signal) {
      if (periodMs < 0) return;
      forgetOthers(pods);
      const pauseMs = ({ durationMs }: Measurement): number =>
        Math.min(periodMs, Math.max(SOON_MS, durationMs * PAUSE_FACTOR));
      const meant = pods.filter((pod) => podUids.has(podUid(pod)));
      await measureDue(meant, pauseMs, signal);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Volumes of a pod, measured at one moment. */
interface Measurement {
  readonly atMs: number;
  readonly durationMs: number;
  /** Names of the volumes that were mounted. */
  readonly names: ReadonlySet<string>;
  readonly volumes: readonly MeasuredVolume[];
}
