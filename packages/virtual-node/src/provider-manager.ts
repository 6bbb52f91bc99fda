import { isDeepStrictEqual } from 'node:util';
import { type Clock, createLifetime, errorMessage, withDeadline } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { podContainers, podEventObject, podUid } from '@rxlet/pod-model';
import { type PodSyncResult, PodSyncError, type RuntimeManager, type SyncResult } from '@rxlet/runtime-manager';
import type { PodProvider } from './pod-provider.ts';
import { isProviderError } from './provider-error.ts';
import type { PodRejection, ProviderPodReference } from './provider-pod.ts';
import { hasStopped, type PodRecord, type ProviderPods } from './provider-pods.ts';

/** Ports of {@link createProviderManager}. */
export interface ProviderManagerPorts {
  readonly provider: PodProvider;
  readonly pods: ProviderPods;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Gets the pods that the provider rejects for good, by UID. */
  readonly rejections: Map<string, PodRejection>;
}

/** Time beyond the grace period in which a pod must have ended; then the deletion is an event, and is requested again. */
const STOP_MARGIN_MS = 30_000;
/** Time after which a pod is synced whose containers wait for the provider. Its reports come earlier. */
const WAITING_RESYNC_MS = 60_000;

/** Creates the runtime manager of a virtual node, which drives the pods of a provider as a whole. */
export function createProviderManager(ports: ProviderManagerPorts): RuntimeManager {
  const { provider, pods, clock, events, rejections } = ports;
  const lifetime = createLifetime();
  /** The version of each pod that the provider has got, and `undefined` for one whose creation has been tried. */
  const sent = new Map<string, Pod | undefined>();
  /** UIDs of pods of which a container is shown as waiting. */
  const waiting = new Set<string>();

  const signalOf = (given: AbortSignal | undefined): AbortSignal =>
    given === undefined ? lifetime.signal : AbortSignal.any([given, lifetime.signal]);

  /** Runs the calls for one pod. A cancelled call rejects; any other failure is a result. */
  const run = (
    given: AbortSignal | undefined,
    task: (signal: AbortSignal) => Promise<PodSyncResult>,
    failed: (error: unknown) => PodSyncResult,
  ): Promise<PodSyncResult> => {
    const signal = signalOf(given);
    const perform = async (): Promise<PodSyncResult> => {
      signal.throwIfAborted();
      try {
        return await task(signal);
      } catch (error) {
        signal.throwIfAborted();
        return failed(error);
      }
    };
    return lifetime.track(perform());
  };

  /** Requests the end of a pod, and waits for it. `NotFound` is the end as well. */
  const end = async (
    pod: ProviderPodReference,
    gracePeriodSeconds: number,
    signal: AbortSignal,
    whenEnded: ProviderPods['whenGone'],
  ): Promise<void> => {
    pods.deleting(pod.uid);
    try {
      await provider.delete(reference(pod), { gracePeriodSeconds, signal });
    } catch (error) {
      if (!isProviderError(error, 'NotFound')) throw error;
      return pods.notFound(pod.uid);
    }
    const timeoutMs = gracePeriodSeconds * 1000 + STOP_MARGIN_MS;
    await withDeadline(clock, timeoutMs, signal, async (bounded) => whenEnded(pod.uid, bounded)).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        const message = `the provider has not ended the pod within ${String(timeoutMs / 1000)} s`;
        throw new Error(message, { cause: error });
      },
    );
  };

  const forget = (uid: string): void => {
    pods.forget(uid);
    sent.delete(uid);
    waiting.delete(uid);
    rejections.delete(uid);
  };

  const createPod = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const uid = podUid(pod);
    // Even a call that fails may have created it.
    sent.set(uid, undefined);
    await provider.create(pod, { signal });
    sent.set(uid, pod);
    pods.created(pod);
  };

  const updatePod = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const before = sent.get(podUid(pod));
    if (provider.update === undefined || (before !== undefined && isSameVersion(before, pod))) return;
    await provider.update(pod, { signal });
    sent.set(podUid(pod), pod);
  };

  /** Returns the outcomes of the containers: those that wait are not started yet, and say why. */
  const outcomes = (pod: Pod, record: PodRecord | undefined): PodSyncResult => {
    const uid = podUid(pod);
    const reported = record?.pod.containers ?? [];
    const pending = reported.filter(({ state, reason }) => state === 'waiting' && reason !== '');
    if (pending.length === 0 && !waiting.delete(uid)) return { results: [] };
    if (pending.length > 0) waiting.add(uid);
    return syncResult(
      reported.map(({ name, state, reason, message }) => {
        if (state !== 'waiting' || reason === '') return { action: 'StartContainer', target: name };
        const backoffUntilMs = clock.now() + WAITING_RESYNC_MS;
        return { ...startFailure(name, reason, message), backoffUntilMs };
      }),
    );
  };

  return {
    syncPod: (pod, _status, given = {}) => {
      const uid = podUid(pod);
      let event = 'ProviderCreateFailed';
      return run(
        given.signal,
        async (signal) => {
          pods.keepImages(pod);
          const before = pods.get(uid);
          // An earlier incarnation, which the agent has ended.
          if (before?.isDeleted === true) {
            if (before.state !== 'gone') await end(before.pod, 0, signal, pods.whenGone);
            forget(uid);
            pods.keepImages(pod);
          }
          if (pods.get(uid) === undefined) {
            await createPod(pod, signal);
            events.event(podEventObject(pod), 'Normal', 'ProviderCreateSuccess', 'Create pod in provider successfully');
          } else {
            event = 'ProviderUpdateFailed';
            await updatePod(pod, signal);
          }
          return outcomes(pod, pods.get(uid));
        },
        (error) => {
          const message = errorMessage(error);
          events.event(podEventObject(pod), 'Warning', event, message);
          if (isProviderError(error, 'Rejected')) rejections.set(uid, { reason: 'ProviderFailed', message });
          waiting.add(uid);
          const notStarted = podContainers(pod).map(({ container }) => container.name);
          return syncResult(notStarted.map((name) => startFailure(name, 'ProviderFailed', message)));
        },
      );
    },
    killPod: (pod, status, given = {}) => {
      const { uid } = status;
      const { name = status.name, namespace = status.namespace } = pod?.metadata ?? {};
      const { gracePeriodSeconds = pod?.spec?.terminationGracePeriodSeconds ?? 30 } = given;
      return run(
        given.signal,
        async (signal) => {
          const record = pods.get(uid);
          const mayExist = record === undefined ? sent.has(uid) : record.state !== 'gone';
          const hasEnded = record !== undefined && hasStopped(record.pod);
          if (mayExist && !hasEnded) await end({ uid, name, namespace }, gracePeriodSeconds, signal, pods.whenStopped);
          return { results: [] };
        },
        (error) => failure('KillPodSandbox', uid, 'KillPodSandboxError', error),
      );
    },
    removePod: ({ uid, name, namespace }, given = {}) =>
      run(
        given.signal,
        async (signal) => {
          const mayExist = pods.get(uid)?.state !== 'gone' && (pods.get(uid) !== undefined || sent.has(uid));
          if (mayExist) await end({ uid, name, namespace }, 0, signal, pods.whenGone);
          forget(uid);
          return { results: [] };
        },
        (error) => failure('RemovePodSandbox', uid, 'RemovePodSandboxError', error),
      ),
    async collectGarbage({ shouldContentBeRemoved, allSourcesReady, signal: given }) {
      const nothing = { containers: [], logDirectories: [] };
      if (!allSourcesReady) return { ...nothing, sandboxes: [], failures: [] };
      const sandboxes: string[] = [];
      const failures: { target: string; message: string }[] = [];
      const removeAll = async (): Promise<void> => {
        for (const { pod, state } of pods.list()) {
          if ((state !== 'gone' && !hasStopped(pod)) || !shouldContentBeRemoved(pod.uid)) continue;
          try {
            if (state !== 'gone') await end(pod, 0, signalOf(given), pods.whenGone);
            forget(pod.uid);
            sandboxes.push(pod.uid);
          } catch (error) {
            signalOf(given).throwIfAborted();
            failures.push({ target: pod.uid, message: errorMessage(error) });
          }
        }
      };
      await lifetime.track(removeAll());
      return { ...nothing, sandboxes, failures };
    },
    trimDeadContainers: async () => ({ results: [] }),
    actuatedResources: async () => ({ containers: new Map() }),
    isResizeInProgress: async () => false,
    hasRecursiveReadOnlyMounts: async () => false,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function reference({ uid, name, namespace }: ProviderPodReference): ProviderPodReference {
  return { uid, name, namespace };
}

/** Reports whether a provider has nothing to update between two versions of a pod: statuses and resource versions are not its business. */
function isSameVersion(before: Pod, after: Pod): boolean {
  return (
    isDeepStrictEqual(before.spec, after.spec) &&
    isDeepStrictEqual(before.metadata?.labels, after.metadata?.labels) &&
    isDeepStrictEqual(before.metadata?.annotations, after.metadata?.annotations)
  );
}

function startFailure(target: string, reason: string, message: string): SyncResult {
  // Reasons of providers are free, as those of image managers.
  return { action: 'StartContainer', target, reason: reason as SyncResult['reason'] & string, message };
}

function failure(
  action: SyncResult['action'],
  target: string,
  reason: NonNullable<SyncResult['reason']>,
  error: unknown,
): PodSyncResult {
  return syncResult([{ action, target, reason, message: errorMessage(error) }]);
}

function syncResult(results: readonly SyncResult[]): PodSyncResult {
  const failures = results.filter(({ reason }) => reason !== undefined);
  return failures.length === 0 ? { results } : { results, error: new PodSyncError(failures) };
}
