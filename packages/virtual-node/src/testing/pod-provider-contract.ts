import assert from 'node:assert/strict';
import type { Clock } from '@rxlet/component-base';
import type { Container, Pod } from '@rxlet/kube-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { createVirtualNode } from '../create-virtual-node.ts';
import type { PodProvider } from '../pod-provider.ts';
import { isProviderError } from '../provider-error.ts';
import type { ProviderContainer, ProviderPodReference } from '../provider-pod.ts';
import { observePods, type ObservedPods } from './observed-pods.ts';

/** A provider under test, and the means to act on it from outside. */
export interface ProviderSubject {
  readonly provider: PodProvider;
  readonly clock: Clock;
  /** Lets time pass for the provider. */
  pass(ms: number): Promise<void>;
  /** Returns a container that prints `text` and ends with `exitCode`; without one it runs until it is stopped. */
  container(behaviour: { readonly exitCode?: number; readonly text?: string }): Omit<Container, 'name'>;
  /** Returns a provider for the same pods, as after a restart of the agent. The one before is not used any more. */
  restart(): Promise<PodProvider>;
  /** Removes a pod as another client would. */
  remove?(uid: string): Promise<void>;
  /** Cuts the provider off from what runs its pods, until the returned function is called. */
  disconnect?(): Promise<() => Promise<void>>;
}

/** A rule of {@link PodProvider} and its check, which throws an `AssertionError`. Cases are independent of each other and delete their pods. */
export interface ProviderCase {
  /** The rule, as a sentence whose subject is the provider. */
  readonly name: string;
  check(subject: ProviderSubject): Promise<void>;
}

/** Abilities of a provider that its contract covers if it has them. */
export interface ProviderAbilities {
  /** Whether its subject has `remove`. Default: false. */
  readonly remove?: boolean;
  /** Whether its subject has `disconnect`. Default: false. */
  readonly disconnect?: boolean;
  /** Whether it has `logs`. Default: false. */
  readonly logs?: boolean;
}

/**
 * Returns the contract of a provider: rules that the agent relies on, most of them known from complaints about virtual nodes.
 *
 * @example
 * ```ts
 * import { createMemoryProvider, podProviderContract } from '@rxlet/virtual-node/testing';
 * import { sleep, systemClock } from '@rxlet/component-base';
 *
 * const { provider } = createMemoryProvider({ clock: systemClock });
 * const subject = {
 *   provider,
 *   clock: systemClock,
 *   pass: (ms: number) => sleep(systemClock, ms),
 *   container: () => ({ image: 'app:1' }),
 *   restart: async () => provider,
 * };
 * const rule = podProviderContract().find(({ name }) => name === 'accepts a pod that it has');
 * await rule?.check(subject);
 * ```
 */
export function podProviderContract(abilities: ProviderAbilities = {}): readonly ProviderCase[] {
  return [
    ...lifeCases,
    ...deletionCases,
    ...restartCases,
    ...(abilities.remove === true ? removalCases : []),
    ...(abilities.disconnect === true ? outageCases : []),
    ...(abilities.logs === true ? logCases : []),
  ];
}

const lifeCases: readonly ProviderCase[] = [
  {
    name: 'runs a pod and reports every container of it',
    check: (subject) =>
      withPod(subject, 'run', [{}, {}], async (pod, observed) => {
        await observed.until('both containers to run', () => states(observed, pod).join() === 'running,running');
      }),
  },
  {
    name: 'accepts a pod that it has',
    check: (subject) =>
      withPod(subject, 'twice', [{}], async (pod, observed) => {
        await observed.until('the container to run', () => states(observed, pod).join() === 'running');
        const [before] = containers(observed, pod);
        await subject.provider.create(pod, call);
        await subject.pass(500);
        const [after] = containers(observed, pod);
        assert.equal(after?.restartCount ?? 0, before?.restartCount ?? 0);
        assert.equal(states(observed, pod).join(), 'running');
      }),
  },
  {
    name: 'reports the exit codes of containers, and keeps the pod until it is deleted',
    check: (subject) =>
      withPod(subject, 'exit', [{ exitCode: 0 }, { exitCode: 3 }], async (pod, observed) => {
        await observed.until('both containers to end', () => states(observed, pod).join() === 'exited,exited');
        await subject.pass(500);
        const codes = containers(observed, pod).map((one) => (one?.state === 'exited' ? one.exitCode : undefined));
        assert.deepEqual(codes, [0, 3]);
      }),
  },
  {
    name: 'brings a pod through its life in an agent',
    check: async (subject) => {
      const { provider, clock, pass } = subject;
      const { nodeFiles: files, hostFiles } = createMemoryFiles();
      const source = createManualSource('contract');
      const options = { name: 'contract', modules: [podsFrom(source)], rootDirectory: '/contract' };
      const node = await createVirtualNode(provider, options, { clock, files, hostFiles });
      const until = async (what: string, isTrue: () => boolean): Promise<void> => {
        for (let waitedMs = 0; waitedMs < 60_000 && !isTrue(); waitedMs += 50) await pass(50);
        assert(isTrue(), `waited a minute for ${what}; the pods are ${JSON.stringify(node.pods.list())}`);
      };
      await node.start();
      source.set([podOf(subject, 'in-agent', [{}])]);
      await until('the pod to run', () => node.pods.list()[0]?.status?.phase === 'Running');
      source.set([]);
      await until('the pod to end', () => node.pods.list().length === 0);
      let isDisposed = false;
      const end = (): void => void (isDisposed = true);
      const disposal = node[Symbol.asyncDispose]();
      disposal.then(end, end);
      await until('the end of the agent', () => isDisposed);
      await disposal;
    },
  },
];

const deletionCases: readonly ProviderCase[] = [
  {
    name: 'ends a deleted pod, and reports the exits before the removal',
    check: (subject) =>
      withPod(subject, 'delete', [{}], async (pod, observed) => {
        await observed.until('the container to run', () => states(observed, pod).join() === 'running');
        await subject.provider.delete(reference(pod), { ...call, gracePeriodSeconds: 1 });
        await observed.until('the removal', () => observed.get(uidOf(pod)) === undefined);
        const reports = observed.changes.flatMap((one) => (one.type === 'changed' ? [one.pod] : []));
        const last = reports.filter(({ uid }) => uid === uidOf(pod)).at(-1);
        assert.deepEqual(
          last?.containers.map(({ state }) => state),
          ['exited'],
          'the last report before the removal must have the exits',
        );
      }),
  },
  {
    name: 'accepts a repeated deletion',
    check: (subject) =>
      withPod(subject, 'delete-twice', [{}], async (pod, observed) => {
        await observed.until('the container to run', () => states(observed, pod).join() === 'running');
        const options = { ...call, gracePeriodSeconds: 1 };
        await subject.provider.delete(reference(pod), options);
        await unlessNotFound(subject.provider.delete(reference(pod), { ...options, gracePeriodSeconds: 0 }));
        await observed.until('the removal', () => observed.get(uidOf(pod)) === undefined);
      }),
  },
  {
    name: 'rejects the deletion of an unknown pod with the reason NotFound',
    async check({ provider }) {
      const unknown = { uid: 'contract-unknown', name: 'unknown', namespace: 'contract' };
      const error = await provider.delete(unknown, { ...call, gracePeriodSeconds: 1 }).then(
        () => assert.fail('the deletion of an unknown pod was accepted'),
        (failure: unknown) => failure,
      );
      assert(isProviderError(error, 'NotFound'), `rejected with another reason: ${String(error)}`);
    },
  },
  {
    // virtual-kubelet#684
    name: 'reports nothing of a pod after its removal',
    check: (subject) =>
      withPod(subject, 'late', [{}], async (pod, observed) => {
        await observed.until('the container to run', () => states(observed, pod).join() === 'running');
        await subject.provider.delete(reference(pod), { ...call, gracePeriodSeconds: 1 });
        await observed.until('the removal', () => observed.get(uidOf(pod)) === undefined);
        const count = observed.changes.length;
        await subject.pass(3_000);
        const later = observed.changes
          .slice(count)
          .filter((one) => one.type === 'changed' && one.pod.uid === uidOf(pod));
        assert.deepEqual(later, []);
      }),
  },
  {
    // virtual-kubelet#867
    name: 'distinguishes pods of the same name by their UIDs',
    check: (subject) =>
      withPod(subject, 'same-name', [{}], async (old, observed) => {
        const next = podOf(subject, 'same-name', [{}], 2);
        await observed.until('the first container to run', () => states(observed, old).join() === 'running');
        await subject.provider.delete(reference(old), { ...call, gracePeriodSeconds: 1 });
        await observed.until('the removal', () => observed.get(uidOf(old)) === undefined);
        await subject.provider.create(next, call);
        await observed.until('the next container to run', () => states(observed, next).join() === 'running');
        await unlessNotFound(subject.provider.delete(reference(old), { ...call, gracePeriodSeconds: 1 }));
        await subject.pass(1_500);
        assert.equal(states(observed, next).join(), 'running');
        await deleted(subject, observed, next);
      }),
  },
];

const restartCases: readonly ProviderCase[] = [
  {
    // virtual-kubelet#784
    name: 'reports and deletes pods of an earlier run',
    async check(subject) {
      const pod = podOf(subject, 'restart', [{}, { exitCode: 4 }]);
      {
        await using observed = await observePods(subject.provider, subject);
        await subject.provider.create(pod, call);
        await observed.until('the containers', () => states(observed, pod).join() === 'running,exited');
      }
      const provider = await subject.restart();
      const restarted = { ...subject, provider };
      await using observed = await observePods(provider, subject);
      await observed.until('the pod of the earlier run', () => states(observed, pod).join() === 'running,exited');
      const [, exited] = containers(observed, pod);
      assert(exited?.state === 'exited' && exited.exitCode === 4, 'the exit code of the earlier run is lost');
      await deleted(restarted, observed, pod);
    },
  },
];

const removalCases: readonly ProviderCase[] = [
  {
    // virtual-kubelet#78
    name: 'reports a removal that the agent did not request',
    check: (subject) =>
      withPod(subject, 'removed', [{}], async (pod, observed) => {
        await observed.until('the container to run', () => states(observed, pod).join() === 'running');
        await subject.remove!(uidOf(pod));
        await observed.until('the removal', () => observed.get(uidOf(pod)) === undefined);
      }),
  },
];

const outageCases: readonly ProviderCase[] = [
  {
    // virtual-kubelet#689
    name: 'reports no pod as gone while it cannot see the pods',
    check: (subject) =>
      withPod(subject, 'outage', [{}], async (pod, observed) => {
        await observed.until('the container to run', () => states(observed, pod).join() === 'running');
        const reconnect = await subject.disconnect!();
        const options = { ...call, gracePeriodSeconds: 1 };
        const failure = await subject.provider.delete(reference(pod), options).then(
          () => undefined,
          (error: unknown) => error,
        );
        assert(failure !== undefined, 'a deletion was accepted that cannot have been made');
        assert(!isProviderError(failure, 'NotFound'), 'a pod that cannot be seen is not a pod that is gone');
        await subject.pass(3_000);
        const hasGone = observed.changes.some((one) => one.type === 'removed' && one.uid === uidOf(pod));
        assert(!hasGone, 'the pod was reported as gone');
        await reconnect();
      }),
  },
];

const logCases: readonly ProviderCase[] = [
  {
    name: 'reads the log of a container, whole or its last lines',
    check: (subject) =>
      withPod(subject, 'logs', [{ text: 'first\nsecond\n', exitCode: 0 }], async (pod, observed) => {
        await observed.until('the container to end', () => states(observed, pod).join() === 'exited');
        const options = { ...call, follow: false, previous: false, timestamps: false };
        const container = { pod: reference(pod), container: 'c0' };
        assert.equal(await textOf(subject.provider.logs!(container, options)), 'first\nsecond\n');
        assert.equal(await textOf(subject.provider.logs!(container, { ...options, tailLines: 1 })), 'second\n');
      }),
  },
];

const call = { signal: new AbortController().signal };

type Behaviours = readonly Parameters<ProviderSubject['container']>[0][];

/** Runs `task` with a pod that the provider has got, and deletes it afterwards. */
async function withPod(
  subject: ProviderSubject,
  name: string,
  behaviours: Behaviours,
  task: (pod: Pod, observed: ObservedPods) => Promise<void>,
): Promise<void> {
  const pod = podOf(subject, name, behaviours);
  const observing = await observePods(subject.provider, subject);
  try {
    await subject.provider.create(pod, call);
    await task(pod, observing);
  } finally {
    await observing[Symbol.asyncDispose]();
    // A stream that has failed reports nothing more.
    await using again = await observePods(subject.provider, subject);
    await deleted(subject, again, pod);
  }
}

async function deleted({ provider }: ProviderSubject, observed: ObservedPods, pod: Pod): Promise<void> {
  await unlessNotFound(provider.delete(reference(pod), { ...call, gracePeriodSeconds: 0 }));
  await observed.until('the removal', () => observed.get(uidOf(pod)) === undefined);
}

function podOf(subject: ProviderSubject, name: string, behaviours: Behaviours, version = 1): Pod {
  return defaultPod({
    metadata: { name, namespace: 'contract', uid: `contract-${name}-${String(version)}` },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: behaviours.map((behaviour, index) => ({
        ...subject.container(behaviour),
        name: `c${String(index)}`,
      })),
    },
  });
}

function uidOf({ metadata }: Pod): string {
  return metadata?.uid ?? '';
}

function reference(pod: Pod): ProviderPodReference {
  return { uid: uidOf(pod), name: pod.metadata?.name ?? '', namespace: pod.metadata?.namespace ?? '' };
}

function containers(observed: ObservedPods, pod: Pod): readonly (ProviderContainer | undefined)[] {
  const reported = observed.get(uidOf(pod))?.containers ?? [];
  return (pod.spec?.containers ?? []).map(({ name }) => reported.find((one) => one.name === name));
}

function states(observed: ObservedPods, pod: Pod): readonly string[] {
  return containers(observed, pod).map((one) => one?.state ?? 'missing');
}

async function unlessNotFound(deletion: Promise<void>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!isProviderError(error, 'NotFound')) throw error;
  });
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}
