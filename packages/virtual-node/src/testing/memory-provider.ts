import type { Clock } from '@rxlet/component-base';
import { abortable } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { podContainers, podUid } from '@rxlet/pod-model';
import type { PodProvider } from '../pod-provider.ts';
import { ProviderError } from '../provider-error.ts';
import type { PodRejection, ProviderContainer, ProviderPod, ProviderPodChange } from '../provider-pod.ts';
import { createProviderPodList } from '../provider-pod-list.ts';

/** A call of the agent to a {@link MemoryProvider}. */
export interface ProviderCall {
  readonly method: 'create' | 'update' | 'delete';
  readonly uid: string;
  readonly gracePeriodSeconds?: number;
}

/** A provider whose pods run at once and only in memory, with the means to make them fail. It outlives the agents that use it. */
export interface MemoryProvider {
  readonly provider: PodProvider;
  /** Calls so far. */
  readonly calls: readonly ProviderCall[];
  /** Returns a pod as the provider reports it. */
  get(uid: string): ProviderPod | undefined;
  /** Replaces the reported containers of a pod. */
  report(uid: string, containers: readonly ProviderContainer[], more?: Partial<ProviderPod>): void;
  /** Sends a change as it is, whatever the provider has. */
  send(change: ProviderPodChange): void;
  /** Removes a pod without a deletion by the agent. */
  remove(uid: string, cause?: PodRejection): void;
  /** Makes the next calls of a method reject. */
  fail(method: ProviderCall['method'], error: Error, times?: number): void;
  /** Accepts deletions and ends no pod, until the returned function is called. */
  holdDeletions(): () => void;
  /** Ends the stream, and lets no other begin until the returned function is called. */
  disconnect(): () => void;
}

/** Creates a {@link MemoryProvider} named `memory`. */
export function createMemoryProvider({ clock }: { readonly clock: Pick<Clock, 'now'> }): MemoryProvider {
  const pods = createProviderPodList();
  const calls: ProviderCall[] = [];
  const failures = new Map<ProviderCall['method'], { error: Error; times: number }>();
  const held = new Set<string>();
  let isHeld = false;
  let connection = new AbortController();
  let sent = Promise.withResolvers<ProviderPodChange>();

  const record = (call: ProviderCall): void => {
    calls.push(call);
    const failure = failures.get(call.method);
    if (failure === undefined || failure.times === 0) return;
    failure.times -= 1;
    throw failure.error;
  };
  const end = (uid: string): void => {
    const pod = pods.get(uid);
    if (pod === undefined) return;
    const containers = pod.containers.map((container): ProviderContainer => {
      if (container.state === 'exited') return container;
      return { name: container.name, state: 'exited', exitCode: 143, finishedAtMs: clock.now() };
    });
    pods.set({ ...pod, containers });
    pods.remove(uid);
  };
  /** The changes of the list, and those that are sent as they are. */
  async function* watch(signal: AbortSignal): AsyncGenerator<ProviderPodChange> {
    const open = AbortSignal.any([signal, connection.signal]);
    open.throwIfAborted();
    const listed = pods.watch(open)[Symbol.asyncIterator]();
    const pull = (): Promise<IteratorResult<ProviderPodChange>> => {
      const result = listed.next();
      // It has no reader any more when the iteration is left.
      result.catch(() => undefined);
      return result;
    };
    let next = pull();
    for (;;) {
      const change = await abortable(Promise.race([next, sent.promise]), open);
      if ('type' in change) {
        sent = Promise.withResolvers();
        yield change;
      } else {
        next = pull();
        yield change.value as ProviderPodChange;
      }
    }
  }

  const provider: PodProvider = {
    name: 'memory',
    watch,
    async create(pod: Pod) {
      const uid = podUid(pod);
      record({ method: 'create', uid });
      if (pods.get(uid) !== undefined) return;
      const { name = '', namespace = '' } = pod.metadata ?? {};
      const containers = podContainers(pod).map(({ kind, container }): ProviderContainer => {
        if (kind === 'init') return { name: container.name, state: 'exited', exitCode: 0 };
        return { name: container.name, state: 'running', startedAtMs: clock.now() };
      });
      pods.set({ uid, name, namespace, ips: ['10.1.0.1'], containers });
    },
    async update(pod) {
      record({ method: 'update', uid: podUid(pod) });
    },
    async delete({ uid }, { gracePeriodSeconds }) {
      record({ method: 'delete', uid, gracePeriodSeconds });
      if (pods.get(uid) === undefined) throw new ProviderError('NotFound', `no pod ${uid}`);
      if (isHeld) held.add(uid);
      else end(uid);
    },
  };
  return {
    provider,
    calls,
    get: pods.get,
    report(uid, containers, more = {}) {
      const pod = pods.get(uid);
      if (pod === undefined) throw new TypeError(`the provider has no pod ${uid}`);
      pods.set({ ...pod, ...more, containers });
    },
    send: (change) => sent.resolve(change),
    remove: pods.remove,
    fail: (method, error, times = 1) => void failures.set(method, { error, times }),
    holdDeletions() {
      isHeld = true;
      return () => {
        isHeld = false;
        held.forEach(end);
        held.clear();
      };
    },
    disconnect() {
      connection.abort(new Error('the provider is down'));
      return () => void (connection = new AbortController());
    },
  };
}
