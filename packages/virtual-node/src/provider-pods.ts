import { isDeepStrictEqual } from 'node:util';
import { abortable, type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { createCurrentValue, createEmitter, waitUntil, whenTrue } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { podContainers, podUid } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import { type CheckedPod, checkProviderPod } from './check-provider-pod.ts';
import type { PodProvider } from './pod-provider.ts';
import type { PodRejection, ProviderPod, ProviderPodChange } from './provider-pod.ts';

/** A pod as the agent sees it in the provider. */
export interface PodRecord {
  /** `expected`: created, and not reported yet. `gone`: removed; the containers are those whose end was reported. */
  readonly state: 'expected' | 'present' | 'gone';
  readonly pod: CheckedPod;
  /** Milliseconds since the epoch of the first report, or of the creation. */
  readonly sinceMs: number;
  /** Whether the agent has requested its end. */
  readonly isDeleted: boolean;
  /** Why the provider removed the pod, if it did so unasked. */
  readonly removal?: PodRejection;
}

/** The pods of a provider, from its stream: the state that the runtime is of other agents. */
export interface ProviderPods extends AsyncDisposable {
  /** Opens the stream. */
  start(): void;
  /** Resolves when the provider has reported its pods for the first time. */
  whenListed(signal: AbortSignal | undefined): Promise<void>;
  /** Returns why the provider cannot be observed; `undefined` while it can. */
  problem(): string | undefined;
  /** Resolves when {@link ProviderPods.problem} is known: the provider has reported its pods, or failed to. */
  whenTried(signal: AbortSignal | undefined): Promise<void>;
  list(): readonly PodRecord[];
  get(uid: string): PodRecord | undefined;
  /** UIDs of changed pods. Hot. */
  readonly changes$: Observable<string>;
  /** Keeps the images of a pod's spec, for reports without images. */
  keepImages(pod: Pod): void;
  /** Returns the image of a container in the pod's spec; `undefined` for an unknown one. */
  imageOf(uid: string, container: string): string | undefined;
  /** Records that the provider has accepted a pod. */
  created(pod: Pod): void;
  /** Records that the agent ends a pod, so that its removal is no failure. */
  deleting(uid: string): void;
  /** Records that the provider has no such pod. */
  notFound(uid: string): void;
  /** Resolves when no container of the pod runs: all have ended, or the pod is gone. */
  whenStopped(uid: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the pod is gone. */
  whenGone(uid: string, signal: AbortSignal): Promise<void>;
  /** Forgets a pod that is gone. */
  forget(uid: string): void;
}

/** Time after which a created pod that the provider does not report is created again. */
const EXPECTED_FOR_MS = 60_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** Creates {@link ProviderPods}. The number of records is that of the provider's pods, and of gone pods that the agent has not forgotten. */
export function createProviderPods(
  provider: Pick<PodProvider, 'name' | 'watch'>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ProviderPods {
  const lifetime = createLifetime();
  const records = new Map<string, PodRecord>();
  const images = new Map<string, ReadonlyMap<string, string>>();
  const changes = createEmitter<string>();
  const isListed = createCurrentValue(false);
  const isTried = createCurrentValue(false);
  let problem: string | undefined = 'the provider has not reported its pods yet';
  lifetime.defer(() => {
    changes.complete();
    isListed.complete();
    isTried.complete();
  });

  const set = (uid: string, record: PodRecord): void => {
    if (isDeepStrictEqual(records.get(uid), record)) return;
    records.set(uid, record);
    changes.emit(uid);
  };

  const report = (reported: ProviderPod): void => {
    const { uid } = reported;
    const before = records.get(uid);
    const { pod, problems } = checkProviderPod(reported, before?.pod, clock.now());
    if (problems.length > 0)
      logger.warn('repaired a report of the provider', { pod: `${pod.namespace}/${pod.name}`, problems });
    const { sinceMs = clock.now(), isDeleted = false } = before ?? {};
    // A late report of a pod that has ended contains nothing new.
    if (before?.state === 'gone' && hasStopped(pod)) return;
    set(uid, { state: 'present', pod, sinceMs, isDeleted });
  };

  const remove = (uid: string, removal: PodRejection): void => {
    const before = records.get(uid);
    if (before === undefined || before.state === 'gone') return;
    const { pod, sinceMs, isDeleted } = before;
    const containers = pod.containers.filter(({ state }) => state === 'exited');
    const unasked = isDeleted ? {} : { removal };
    set(uid, { state: 'gone', pod: { ...pod, containers }, sinceMs, isDeleted, ...unasked });
  };

  const apply = (change: ProviderPodChange): void => {
    switch (change.type) {
      case 'snapshot': {
        const uids = new Set(change.pods.map(({ uid }) => uid));
        for (const [uid, { state, sinceMs }] of records) {
          if (uids.has(uid)) continue;
          if (state === 'present') remove(uid, VANISHED);
          // The snapshot may be older than the pod.
          else if (state === 'expected' && clock.now() - sinceMs > EXPECTED_FOR_MS && records.delete(uid))
            changes.emit(uid);
        }
        for (const pod of change.pods) report(pod);
        break;
      }
      case 'changed':
        report(change.pod);
        break;
      case 'removed': {
        const { uid, reason = VANISHED.reason, message = VANISHED.message } = change;
        remove(uid, { reason, message });
      }
    }
  };

  /** Follows the stream until it ends. `reached` is called with each change. */
  const followOnce = async (reached: () => void): Promise<void> => {
    const { signal } = lifetime;
    const iterator = provider.watch(signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await abortable(iterator.next(), signal);
        if (next.done === true) throw new Error('the stream of its pods has ended');
        apply(next.value);
        reached();
      }
    } finally {
      // Not awaited: an iteration that ignores its signal must not delay the end of the agent.
      void Promise.resolve(iterator.return?.()).catch(() => undefined);
    }
  };
  const followForever = async (): Promise<void> => {
    const { signal } = lifetime;
    let delayMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        await followOnce(() => {
          problem = undefined;
          delayMs = FIRST_RETRY_MS;
          if (!isListed.value) isListed.set(true);
          if (!isTried.value) isTried.set(true);
        });
      } catch (error) {
        if (signal.aborted) return;
        problem = `cannot observe the provider ${provider.name}: ${errorMessage(error)}`;
        logger.warn(problem, { retryMs: delayMs });
        if (!isTried.value) isTried.set(true);
        await sleep(clock, delayMs, signal).catch(() => undefined);
        delayMs = Math.min(2 * delayMs, LAST_RETRY_MS);
      }
    }
  };

  const whenRecord = (
    uid: string,
    accept: (record: PodRecord | undefined) => boolean,
    signal: AbortSignal,
  ): Promise<void> => waitUntil(changes.values$, () => accept(records.get(uid)), signal);

  return {
    start: () => void lifetime.track(followForever()),
    whenListed: (signal) => whenTrue(isListed, signal ?? lifetime.signal),
    whenTried: (signal) => whenTrue(isTried, signal ?? lifetime.signal),
    problem: () => problem,
    list: () => [...records.values()],
    get: (uid) => records.get(uid),
    changes$: changes.values$,
    keepImages(pod) {
      const uid = podUid(pod);
      const ofPod = new Map(podContainers(pod).map(({ container }) => [container.name, container.image ?? '']));
      if (isDeepStrictEqual(images.get(uid), ofPod)) return;
      images.set(uid, ofPod);
      if (records.has(uid)) changes.emit(uid);
    },
    imageOf: (uid, container) => images.get(uid)?.get(container),
    created(pod) {
      const { name = '', namespace = '' } = pod.metadata ?? {};
      const uid = podUid(pod);
      if (records.has(uid)) return;
      const expected = { uid, name, namespace, ips: [], containers: [] };
      set(uid, { state: 'expected', pod: expected, sinceMs: clock.now(), isDeleted: false });
    },
    deleting(uid) {
      const record = records.get(uid);
      if (record !== undefined) records.set(uid, { ...record, isDeleted: true });
    },
    notFound: (uid) => remove(uid, VANISHED),
    whenStopped: (uid, signal) =>
      whenRecord(uid, (record) => record === undefined || record.state === 'gone' || hasStopped(record.pod), signal),
    whenGone: (uid, signal) => whenRecord(uid, (record) => record === undefined || record.state === 'gone', signal),
    forget(uid) {
      images.delete(uid);
      if (records.delete(uid)) changes.emit(uid);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Cause of a removal that the provider does not explain; the reason is that of virtual-kubelet. */
const VANISHED: PodRejection = {
  reason: 'NotFound',
  message: 'The pod was not found in the provider and may have been deleted there',
};

/** Reports whether all containers of a pod have ended. A pod without containers is starting. */
export function hasStopped({ containers }: CheckedPod): boolean {
  return containers.length > 0 && containers.every(({ state }) => state === 'exited');
}
