import { type Clock, createSemaphore, type Lifetime, type Logger, withDeadline } from '@rxlet/component-base';
import { PodSandboxState, type PodSandboxStatusResponse, type RuntimeService } from '@rxlet/cri-api';
import { readRuntimePodStatus, type RuntimePod, type RuntimePodStatus } from '@rxlet/pod-model';
import type { ListedState } from './hint-checks.ts';
import { computePodLifecycleEvents, type PodLifecycleEvent } from './pod-lifecycle-event.ts';
import type { ReadMark, WritablePodStatusCache } from './pod-status-cache.ts';

/** Reads the status of each pod whose listing changed, and tells what changed once it has. */
export interface PodReader {
  /** A listing that began at `mark` saw the pod like this, or (`undefined`) not at all. @returns whether that is news, which is not being read yet. */
  reconcile(uid: string, listed: RuntimePod | undefined, mark: ReadMark): boolean;
  /** The pod is to be read at its next listing even if nothing in the lists changes: resources and the like do not show there. */
  reinspect(uid: string): void;
  /** UIDs of the pods that are known. */
  uids(): Iterable<string>;
  /** The known pods as they were listed last. */
  pods(): RuntimePod[];
  /** What the latest listing says of a container or sandbox. */
  lookUp(containerId: string): { readonly state: ListedState; readonly podUid?: string };
  /** The pods whose last reading failed, and why. */
  readonly sick: ReadonlyMap<string, Error>;
}

/** What a reader works with. */
export interface PodReaderPorts {
  readonly runtime: Pick<RuntimeService, 'podSandboxStatus' | 'containerStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cache: WritablePodStatusCache;
  readonly lifetime: Lifetime;
  emit(event: PodLifecycleEvent): void;
  /** A pod could not be read, and is to be listed again soon. */
  onSick(): void;
}

/** How a reader works. */
export interface PodReaderOptions {
  readonly runtimeName: string;
  /** How many pods may be read at the same time. */
  readonly maxConcurrentReads: number;
  /** How long the reading of one pod may take. */
  readonly readTimeoutMs: number;
}

interface PodRecord {
  /** What the last successful reading was based on. */
  read: RuntimePod | undefined;
  /** The latest listing. */
  listed: RuntimePod | undefined;
  /** When that began. */
  listedAt: ReadMark;
  reading: boolean;
  reinspect: boolean;
  /** What was said of its sandboxes. */
  readonly sandboxes: Map<string, PodSandboxStatusResponse>;
}

/** How long a read may keep its place; nearly all take milliseconds. */
const PLACE_MS = 1_000;

/** Creates a {@link PodReader}. */
export function createPodReader(ports: PodReaderPorts, options: PodReaderOptions): PodReader {
  const { runtime, clock, logger, cache, lifetime, emit, onSick } = ports;
  const { runtimeName, readTimeoutMs } = options;
  const places = createSemaphore(options.maxConcurrentReads);
  const records = new Map<string, PodRecord>();
  /** Container and sandbox ids of the latest listings → the pod. */
  const owners = new Map<string, string>();
  const sick = new Map<string, Error>();

  /** Reads a changed pod until what was read is what is listed, or until a read fails; the next listing tries again then. */
  const readPod = async (uid: string, record: PodRecord): Promise<void> => {
    record.reading = true;
    try {
      for (;;) {
        const { listed: target, listedAt } = record;
        const pending: PodLifecycleEvent[] = computePodLifecycleEvents(uid, record.read, target);
        const { reinspect } = record;
        if (pending.length === 0 && !reinspect) {
          // Listings that came while the pod was read saw it just as it was read.
          cache.setSettled(uid, listedAt);
          break;
        }
        const status = await readInTurn(() => readStatus(uid, record, target, listedAt));
        if (status === undefined) break;
        if (reinspect) record.reinspect = false;
        record.read = target;
        if (pending.length === 0 && target !== undefined) pending.push({ type: 'PodSync', podUid: uid });
        for (const event of pending) {
          emit(event.type === 'ContainerDied' ? { ...event, ...exitCode(status, event.containerId) } : event);
        }
      }
    } catch (error) {
      if (!lifetime.signal.aborted) throw error;
    } finally {
      record.reading = false;
      if (record.listed === undefined && record.read === undefined) records.delete(uid);
    }
  };

  /** Runs a read when there is a place for it. One that takes long gives its place back, so that hung pods do not keep the others from being read. */
  const readInTurn = async <T>(read: () => Promise<T>): Promise<T> => {
    let reading: Promise<T> | undefined;
    await places.run(async () => {
      reading = read();
      // The end of the lifetime ends the reading.
      const { promise: late, resolve } = Promise.withResolvers<void>();
      using _timer = clock.setTimer(PLACE_MS, resolve);
      await Promise.race([reading, late]);
    }, lifetime.signal);
    return reading!;
  };

  /**
   * Reads what a listing that began at `mark` saw. However late that is: of what was created after the listing it knows nothing, so it is no newer.
   * @returns `undefined` when the pod could not be read.
   */
  const readStatus = async (
    uid: string,
    record: PodRecord,
    target: RuntimePod | undefined,
    mark: ReadMark,
  ): Promise<RuntimePodStatus | 'gone' | undefined> => {
    if (target === undefined) {
      sick.delete(uid);
      cache.delete(uid, mark);
      return 'gone';
    }
    try {
      const status = await withDeadline(clock, readTimeoutMs, lifetime.signal, (signal) =>
        readRuntimePodStatus(askingOnce(record, target), target, { runtimeName, signal, timeoutMs: readTimeoutMs }),
      );
      const kept = keepIps(cache.get(uid), status);
      sick.delete(uid);
      cache.set(uid, kept, mark);
      return kept;
    } catch (error) {
      if (lifetime.signal.aborted) return undefined;
      const failure = error instanceof Error ? error : new Error(String(error));
      if (!sick.has(uid)) logger.warn('cannot read the status of a pod', { podUid: uid, error: failure.message });
      sick.set(uid, failure);
      cache.setError(uid, failure, mark);
      onSick();
      return undefined;
    }
  };

  /**
   * The runtime, but of a sandbox that is listed in the state in which it was last read, that answer stands: once it has its addresses, nothing else of it
   * changes. A pod that starts is read several times, and its sandbox was the same all along.
   */
  const askingOnce = (
    { sandboxes, reinspect }: PodRecord,
    target: RuntimePod,
  ): Pick<RuntimeService, 'podSandboxStatus' | 'containerStatus'> => {
    const ready = new Map(target.sandboxes.map(({ id, state }) => [id, state === 'ready']));
    for (const [id, { status }] of sandboxes) {
      const wasReady = status?.state === PodSandboxState.SANDBOX_READY;
      const hasAddresses = (status?.network?.ip ?? '') !== '';
      if (reinspect || ready.get(id) !== wasReady || (wasReady && !hasAddresses)) sandboxes.delete(id);
    }
    return {
      containerStatus: (request, options) => runtime.containerStatus(request, options),
      async podSandboxStatus(request, options) {
        const { podSandboxId = '' } = request;
        const known = sandboxes.get(podSandboxId);
        if (known !== undefined) return known;
        const response = await runtime.podSandboxStatus(request, options);
        sandboxes.set(podSandboxId, response);
        return response;
      },
    };
  };

  const index = (uid: string, earlier: RuntimePod | undefined, later: RuntimePod | undefined): void => {
    for (const id of idsOf(earlier)) owners.delete(id);
    for (const id of idsOf(later)) owners.set(id, uid);
  };

  return {
    reconcile(uid, listed, mark) {
      let record = records.get(uid);
      if (record === undefined) {
        if (listed === undefined) return false;
        record = {
          read: undefined,
          listed: undefined,
          listedAt: 0,
          reading: false,
          reinspect: false,
          sandboxes: new Map(),
        };
        records.set(uid, record);
      }
      index(uid, record.listed, listed);
      record.listed = listed;
      record.listedAt = mark;
      if (computePodLifecycleEvents(uid, record.read, listed).length === 0 && !record.reinspect) return false;
      cache.setChanged(uid);
      if (record.reading) return false;
      void lifetime.track(readPod(uid, record));
      return true;
    },
    reinspect(uid) {
      const record = records.get(uid);
      if (record !== undefined) record.reinspect = true;
    },
    uids: () => [...records.keys()],
    pods: () => [...records.values()].flatMap(({ listed }) => listed ?? []),
    lookUp(containerId) {
      const podUid = owners.get(containerId);
      const listed = podUid === undefined ? undefined : records.get(podUid)?.listed;
      if (podUid === undefined || listed === undefined) return { state: 'unlisted' };
      return { state: isRunning(listed, containerId) ? 'running' : 'stopped', podUid };
    },
    sick,
  };
}

function* idsOf(pod: RuntimePod | undefined): Iterable<string> {
  for (const { id } of pod?.containers ?? []) yield id.id;
  for (const { id } of pod?.sandboxes ?? []) yield id;
}

function isRunning(pod: RuntimePod, containerId: string): boolean {
  return (
    pod.containers.some(({ id, state }) => id.id === containerId && state === 'running') ||
    pod.sandboxes.some(({ id, state }) => id === containerId && state === 'ready')
  );
}

function exitCode(status: RuntimePodStatus | 'gone', containerId: string): { exitCode?: number } {
  const container = status === 'gone' ? undefined : status.containers.find(({ id }) => id.id === containerId);
  return container?.state === 'exited' ? { exitCode: container.exitCode } : {};
}

/** A pod whose sandbox has ended keeps the IPs it had: its containers ran under them (kubelet: generic PLEG, preserving pod IPs). */
function keepIps(earlier: RuntimePodStatus, status: RuntimePodStatus): RuntimePodStatus {
  if (status.ips.length > 0 || earlier.ips.length === 0) return status;
  return status.sandboxes.some(({ state }) => state === 'ready') ? status : { ...status, ips: earlier.ips };
}
