import {
  type Clock,
  createSemaphore,
  errorMessage,
  type Lifetime,
  type Logger,
  withDeadline,
} from '@rxlet/component-base';
import { PodSandboxState, type PodSandboxStatusResponse, type RuntimeService } from '@rxlet/cri-api';
import type { RuntimePod, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { readRuntimePodStatus } from '@rxlet/pod-model/cri';
import type { ContainerHint } from './container-hints.ts';
import type { ListedState } from './hint-checks.ts';
import { computePodLifecycleEvents, listsSame, type PodLifecycleEvent } from './pod-lifecycle-event.ts';
import type { ReadMark, WritablePodStatusCache } from './pod-status-cache.ts';

/** Reads the status of each pod whose listing changed, then emits the changes. */
export interface PodReader {
  /** Applies a listing that began at `mark`; `undefined` if it lacks the pod. @returns whether it shows a change of a pod that is not being read already */
  reconcile(uid: string, listed: RuntimePod | undefined, mark: ReadMark): boolean;
  /** Has the pod read at its next listing even if the lists show no change, as with changed resources. */
  reinspect(uid: string): void;
  /** Returns the UIDs of the known pods. */
  uids(): Iterable<string>;
  /** Returns the pods of the latest listing. */
  pods(): RuntimePod[];
  /** Returns a pod of the latest listing. */
  find(uid: string): RuntimePod | undefined;
  /** Returns the pods of the latest listing that have this name: more than one while a pod follows another. */
  named(namespace: string, name: string): readonly RuntimePod[];
  /** Returns the listed state of a container or sandbox, and its pod. */
  lookUp(containerId: string): { readonly state: ListedState; readonly podUid?: string };
  /** Pods whose last reading failed, with the error. */
  readonly unreadable: ReadonlyMap<string, Error>;
}

/** Ports of {@link createPodReader}. */
export interface PodReaderPorts {
  readonly runtime: Pick<RuntimeService, 'podSandboxStatus' | 'containerStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cache: WritablePodStatusCache;
  readonly lifetime: Lifetime;
  emit(event: PodLifecycleEvent): void;
  /** Called for each container or sandbox that a listing shows started or stopped since the one before. */
  onListedChange(change: Pick<ContainerHint, 'containerId' | 'kind'>): void;
  /** Called when a pod could not be read, so that it is listed again soon. */
  onReadFailure(): void;
}

/** Options of {@link createPodReader}. */
export interface PodReaderOptions {
  readonly runtimeName: () => string;
  /** Number of pods that may be read at the same time. */
  readonly maxConcurrentReads: number;
  /** Timeout of the reading of one pod. */
  readonly readTimeoutMs: number;
}

interface PodRecord {
  /** Listing on which the last successful reading was based. */
  read: RuntimePod | undefined;
  /** The latest listing. */
  listed: RuntimePod | undefined;
  /** Time at which the latest listing began. */
  listedAt: ReadMark;
  reading: boolean;
  reinspect: boolean;
  /** Last status of each sandbox. */
  readonly sandboxes: Map<string, PodSandboxStatusResponse>;
}

/** Longest time for which a read holds one of the concurrent permits; nearly all reads take milliseconds. */
const PLACE_MS = 1_000;

/** Creates a {@link PodReader}. */
export function createPodReader(ports: PodReaderPorts, options: PodReaderOptions): PodReader {
  const { runtime, clock, logger, cache, lifetime, emit, onListedChange, onReadFailure } = ports;
  const { runtimeName, readTimeoutMs } = options;
  const places = createSemaphore(options.maxConcurrentReads);
  const records = new Map<string, PodRecord>();
  /** Container and sandbox ids of the latest listings → the pod. */
  const owners = new Map<string, string>();
  /** UIDs of the listed pods by their names. */
  const named = new Map<string, Set<string>>();
  const unreadable = new Map<string, Error>();

  /** Reads a changed pod until the status is based on the latest listing, or until a read fails; the next listing retries. */
  const readPod = async (uid: string, record: PodRecord): Promise<void> => {
    record.reading = true;
    try {
      for (;;) {
        const { listed: target, listedAt } = record;
        const pending: PodLifecycleEvent[] = computePodLifecycleEvents(uid, record.read, target);
        const { reinspect } = record;
        if (pending.length === 0 && !reinspect) {
          // The listings since the pod was read show it unchanged.
          cache.setSettled(uid, listedAt);
          break;
        }
        const status = await readInTurn(() => readStatus(uid, record, target, listedAt));
        if (status === undefined) {
          // As in the kubelet, also if the pod is listed again as it was when it could be read: the cache has an error.
          record.reinspect = true;
          // A pod that was removed meanwhile is in no later listing that retries the read.
          if (record.listed === undefined) continue;
          break;
        }
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

  /** Runs a read when a permit is free. A slow read returns its permit early, so that hung pods do not block the others. */
  const readInTurn = async <T>(read: () => Promise<T>): Promise<T> => {
    let reading: Promise<T> | undefined;
    await places.run(async () => {
      reading = read();
      // Disposal aborts the reading.
      const { promise: late, resolve } = Promise.withResolvers<void>();
      using _timer = clock.setTimer(PLACE_MS, resolve);
      await Promise.race([reading, late]);
    }, lifetime.signal);
    return reading!;
  };

  /**
   * Reads the containers and sandboxes of a listing that began at `mark`. The status is no newer than that, however late it is read, as it lacks containers
   * created since.
   * @returns `undefined` when the pod could not be read.
   */
  const readStatus = async (
    uid: string,
    record: PodRecord,
    target: RuntimePod | undefined,
    mark: ReadMark,
  ): Promise<RuntimePodStatus | 'gone' | undefined> => {
    if (target === undefined) {
      unreadable.delete(uid);
      cache.delete(uid, mark);
      return 'gone';
    }
    try {
      const status = await withDeadline(clock, readTimeoutMs, lifetime.signal, (signal) =>
        readRuntimePodStatus(readingSandboxesOnce(record, target), target, {
          runtimeName: runtimeName(),
          signal,
          timeoutMs: readTimeoutMs,
        }),
      );
      const kept = keepIps(cache.get(uid), status);
      unreadable.delete(uid);
      cache.set(uid, kept, mark);
      return kept;
    } catch (error) {
      if (lifetime.signal.aborted) return undefined;
      const failure = error instanceof Error ? error : new Error(errorMessage(error));
      if (!unreadable.has(uid))
        logger.warn('cannot read the status of a pod', { podUid: uid, error: errorMessage(failure) });
      unreadable.set(uid, failure);
      cache.setError(uid, failure, mark);
      onReadFailure();
      return undefined;
    }
  };

  /**
   * Wraps the runtime so that a sandbox is read once for as long as it is listed in the same state: its status does not change once it has its addresses, and a
   * starting pod is read several times.
   */
  const readingSandboxesOnce = (
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

  const reportChanges = (uid: string, earlier: RuntimePod | undefined, later: RuntimePod | undefined): void => {
    for (const { type, containerId } of computePodLifecycleEvents(uid, earlier, later)) {
      if (type === 'ContainerStarted') onListedChange({ containerId, kind: 'started' });
      else if (type === 'ContainerDied' && earlier !== undefined && isRunning(earlier, containerId))
        onListedChange({ containerId, kind: 'stopped' });
    }
  };

  const index = (uid: string, earlier: RuntimePod | undefined, later: RuntimePod | undefined): void => {
    if (listsSame(earlier, later)) return;
    for (const id of idsOf(earlier)) owners.delete(id);
    for (const id of idsOf(later)) owners.set(id, uid);
    const [nameBefore, nameAfter] = [earlier && nameKey(earlier), later && nameKey(later)];
    if (nameBefore === nameAfter) return;
    if (nameBefore !== undefined) {
      const uids = named.get(nameBefore);
      uids?.delete(uid);
      if (uids?.size === 0) named.delete(nameBefore);
    }
    if (nameAfter !== undefined) named.set(nameAfter, (named.get(nameAfter) ?? new Set()).add(uid));
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
      const isChanged = computePodLifecycleEvents(uid, record.read, listed).length > 0;
      if (isChanged || record.reading) reportChanges(uid, record.listed, listed);
      index(uid, record.listed, listed);
      record.listed = listed;
      record.listedAt = mark;
      if (!isChanged && !record.reinspect) return false;
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
    find: (uid) => records.get(uid)?.listed,
    named: (namespace, name) =>
      [...(named.get(nameKey({ namespace, name })) ?? [])].flatMap((uid) => records.get(uid)?.listed ?? []),
    lookUp(containerId) {
      const podUid = owners.get(containerId);
      const listed = podUid === undefined ? undefined : records.get(podUid)?.listed;
      if (podUid === undefined || listed === undefined) return { state: 'unlisted' };
      return { state: isRunning(listed, containerId) ? 'running' : 'stopped', podUid };
    },
    unreadable,
  };
}

function nameKey({ namespace, name }: Pick<RuntimePod, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
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

/** Keeps the IPs of a pod whose sandbox has stopped, as its containers used them (kubelet: generic PLEG). */
function keepIps(earlier: RuntimePodStatus, status: RuntimePodStatus): RuntimePodStatus {
  if (status.ips.length > 0 || earlier.ips.length === 0) return status;
  return status.sandboxes.some(({ state }) => state === 'ready') ? status : { ...status, ips: earlier.ips };
}
