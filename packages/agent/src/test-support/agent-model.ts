import { ContainerState, type ContainerStatus, PodSandboxState, type PodSandboxStatus } from '@rxlet/cri-api';
import type { RpcName } from '@rxlet/fake-cri';
import type { Container, Pod } from '@rxlet/kube-api';
import { containerShouldRestart, isSidecar, PodLabel } from '@rxlet/pod-model';
import { createPleg } from '@rxlet/pleg';
import type { AgentParts } from '../parts.ts';
import { type AgentBench, createAgentBench, manifestPod } from './agent-bench.ts';

/** What happens to an agent under test. */
export type ModelStep =
  /** A source has this version of a pod, in the place of any other. */
  | { readonly do: 'set'; readonly name: string; readonly kind: PodKind; readonly version: number }
  | { readonly do: 'unset'; readonly name: string }
  /** A container exits by itself: the one at this place among the running ones of a pod. */
  | { readonly do: 'exit'; readonly name: string; readonly index: number; readonly code: number }
  /** The sandbox of a pod dies. */
  | { readonly do: 'fail-sandbox'; readonly name: string }
  /** The runtime forgets a container of a pod. */
  | { readonly do: 'lose'; readonly name: string; readonly index: number }
  /** The next calls of an RPC fail. */
  | { readonly do: 'fault'; readonly rpc: RpcName; readonly failpoint: string; readonly place: 'before' | 'after' }
  | { readonly do: 'event-faults'; readonly probability: number; readonly delayMs: number }
  /** The runtime is away for a while. */
  | { readonly do: 'outage'; readonly ms: number }
  /** The agent is killed between any two things that happen, and started again after a while. */
  | { readonly do: 'kill'; readonly afterMs: number; readonly pauseMs: number }
  | { readonly do: 'advance'; readonly ms: number };

const container = (name: string, command = ['serve']): Container => ({
  name,
  image: `registry.example/${name}:1`,
  command,
});
const shell = (name: string, script: string): Container => container(name, ['sh', '-c', script]);
const sidecar: Container = { ...container('proxy'), restartPolicy: 'Always' };

/** The pods of the model, by kind. */
const specs = {
  one: { containers: [container('app')] },
  two: { containers: [container('app'), container('web')] },
  init: { initContainers: [shell('setup', 'sleep 1'), shell('more', 'exit 0')], containers: [container('app')] },
  sidecar: { initContainers: [sidecar, shell('setup', 'exit 0')], containers: [container('app'), container('web')] },
  hooks: {
    containers: [
      {
        ...container('app'),
        lifecycle: {
          postStart: { exec: { command: ['sh', '-c', 'sleep 1'] } },
          preStop: { exec: { command: ['sh', '-c', 'sleep 1'] } },
        },
      },
    ],
  },
  'on-failure': { restartPolicy: 'OnFailure', containers: [container('app'), container('web')] },
  never: { restartPolicy: 'Never', initContainers: [sidecar], containers: [container('app'), container('web')] },
  job: { restartPolicy: 'Never', containers: [shell('app', 'sleep 3')] },
} as const satisfies Record<string, Partial<NonNullable<Pod['spec']>>>;

/** The kinds of pods there are. */
export type PodKind = keyof typeof specs;
export const podKinds = Object.keys(specs) as PodKind[];

function modelPod(name: string, kind: PodKind, version: number): Pod {
  const spec = structuredClone<Partial<NonNullable<Pod['spec']>>>(specs[kind]);
  return manifestPod(name, { terminationGracePeriodSeconds: 2, ...spec }, podKinds.indexOf(kind) * 10 + version);
}

/** After so much time without faults everything is as it should be: the longest wait of a crash loop, and what hangs, are over. */
const QUIESCENCE_MS = 1_200_000;

/** An agent with a model of what it should come to. What is not as it should be is thrown, with what led there. */
export interface AgentModel extends AsyncDisposable {
  readonly bench: AgentBench;
  /** Does a step, and checks all the time what must never be. */
  step(step: ModelStep): Promise<void>;
  /** Ends all faults, waits, and checks what there is against what there should be. */
  settle(): Promise<void>;
  /** Takes all pods away and checks that nothing is left of them. */
  empty(): Promise<void>;
}

/** How the runtime of a model is. */
export interface AgentModelOptions {
  readonly latencyMs: number;
  /** Whether it tells of what happens, or has to be polled. */
  readonly hints: boolean;
}

/** Creates a model and its agent, which runs. */
export async function createAgentModel({ latencyMs, hints }: AgentModelOptions, seed: number): Promise<AgentModel> {
  const bench = createAgentBench({ latencyMs }, seed);
  const { clock, fake, files } = bench;
  const desired = new Map<string, Pod>();
  const watch = watchRuntime(bench, desired);
  const parts: Partial<AgentParts> = hints
    ? {}
    : { createPleg: (ports, options) => createPleg({ ...ports, hints: undefined }, options) };
  await bench.start(parts);
  bench.desire();

  const publish = (): void => {
    watch.desire([...desired.values()]);
    bench.desire(...desired.values());
  };
  const runningOf = (name: string): ContainerStatus[] =>
    fake
      .snapshot()
      .containers.filter(
        ({ labels, state }) => labels[PodLabel.podName] === name && state === ContainerState.CONTAINER_RUNNING,
      );

  const settle = async (): Promise<void> => {
    fake.clearFailpoints();
    fake.setEventFaults({});
    await clock.advance(QUIESCENCE_MS);
    watch.check();
    const problems = [...desired.values()].flatMap((pod) => differences(bench, pod));
    const uids = new Set([...desired.values()].map(uidOf));
    const { sandboxes, containers } = fake.snapshot();
    for (const { labels, id } of [...sandboxes, ...containers])
      if (!uids.has(labels[PodLabel.podUid] ?? '')) problems.push(`${id} of ${labels[PodLabel.podUid] ?? ''} is left`);
    for (const name of await files.list('/root/pods'))
      if (!uids.has(name)) problems.push(`the directory of ${name} is left`);
    for (const name of await files.list('/logs'))
      if (!uids.has(name.split('_').at(-1) ?? '')) problems.push(`logs ${name} are left`);
    const shown = bench.agent().pods.list().map(uidOf).sort().join();
    if (shown !== [...uids].sort().join()) problems.push(`the agent shows ${shown}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };

  return {
    bench,
    settle,
    async step(step) {
      switch (step.do) {
        case 'set':
          desired.set(step.name, modelPod(step.name, step.kind, step.version));
          publish();
          break;
        case 'unset':
          desired.delete(step.name);
          publish();
          break;
        case 'exit': {
          const running = runningOf(step.name);
          const victim = running[step.index % running.length];
          if (victim !== undefined) fake.exitContainer(victim.id, step.code);
          break;
        }
        case 'fail-sandbox':
          for (const { id, metadata, state } of fake.snapshot().sandboxes)
            if (metadata?.name === step.name && state === PodSandboxState.SANDBOX_READY) {
              watch.sandboxFailed(metadata.uid);
              fake.failSandbox(id);
            }
          break;
        case 'lose': {
          const { restartPolicy, containers } = desired.get(step.name)?.spec ?? {};
          // Whether a container that is never restarted has ended, or never was, depends on whether anybody saw it. And the fake runtime never ends an exec
          // in a container that it lost, while hooks have no time limit.
          if (restartPolicy === 'Never' || containers?.some(({ lifecycle }) => lifecycle)) break;
          const running = runningOf(step.name);
          const victim = running[step.index % running.length];
          if (victim === undefined) break;
          watch.lost(victim);
          fake.loseContainer(victim.id);
          break;
        }
        case 'fault':
          fake.setFailpoint(step.rpc, step.failpoint, step.place);
          break;
        case 'event-faults': {
          const { probability, delayMs } = step;
          fake.setEventFaults({
            drop: probability,
            duplicate: probability,
            reorder: probability,
            replay: probability,
            delayMs,
          });
          break;
        }
        case 'outage':
          fake.stop();
          await clock.advance(step.ms);
          fake.start();
          break;
        case 'kill':
          await clock.advance(step.afterMs);
          await bench.kill();
          watch.check();
          await clock.advance(step.pauseMs);
          await bench.start(parts);
          break;
        case 'advance':
          await clock.advance(step.ms);
      }
      watch.check();
    },
    async empty() {
      desired.clear();
      publish();
      await settle();
    },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      if (clock.pendingTimers > 0) throw new Error(`${String(clock.pendingTimers)} timers are left`);
    },
  };
}

/** What the agent made of a pod, as far as it is not what it should be. */
function differences(bench: AgentBench, pod: Pod): string[] {
  const problems: string[] = [];
  const uid = uidOf(pod);
  const complain = (what: string): void => void problems.push(`${uid}: ${what}`);
  const { sandboxes, containers } = bench.fake.snapshot();
  const mine = containers.filter(({ labels }) => labels[PodLabel.podUid] === uid);
  const status = bench
    .agent()
    .pods.list()
    .find((shown) => uidOf(shown) === uid)?.status;
  const newest = (name: string): ContainerStatus | undefined =>
    mine
      .filter(({ labels }) => labels[PodLabel.containerName] === name)
      .sort((a, b) => (a.metadata?.attempt ?? 0) - (b.metadata?.attempt ?? 0))
      .at(-1);
  const mayRestart = (spec: Container, instance: ContainerStatus | undefined): boolean =>
    instance?.state !== ContainerState.CONTAINER_EXITED || containerShouldRestart(spec, pod, instance.exitCode);
  const { containers: apps = [], initContainers = [] } = pod.spec ?? {};

  const initFailed = initContainers.some((spec) => {
    const instance = newest(spec.name);
    return !isSidecar(spec) && instance?.exitCode !== 0 && !mayRestart(spec, instance);
  });
  const completed = initFailed || apps.every((spec) => !mayRestart(spec, newest(spec.name)));
  // As by the kubelet, a pod that is never restarted gets no new sandbox once it had any container, and then waits for ever.
  const neverRan = apps.some(({ name }) => !newest(name)?.startedAt);
  const ready = sandboxes.filter(
    ({ labels, state }) => labels[PodLabel.podUid] === uid && state === PodSandboxState.SANDBOX_READY,
  );
  if (pod.spec?.restartPolicy === 'Never' && neverRan && ready.length === 0) return [];
  if (ready.length !== (completed ? 0 : 1)) complain(`${String(ready.length)} sandboxes are ready`);
  // A sandbox stays with the latest dead container of a name.
  const old = sandboxes.filter(({ labels }) => labels[PodLabel.podUid] === uid).length - ready.length;
  const dead = mine.filter(({ state }) => state === ContainerState.CONTAINER_EXITED).length;
  if (!completed && old > dead) complain(`${String(old)} old sandboxes are left`);

  for (const spec of [...apps, ...initContainers]) {
    const instance = newest(spec.name);
    const runs = instance?.state === ContainerState.CONTAINER_RUNNING;
    const runsToItsEnd = initContainers.includes(spec) && !isSidecar(spec);
    const shouldRun = !completed && !runsToItsEnd && (isSidecar(spec) || mayRestart(spec, instance));
    if (runs !== shouldRun) complain(`${spec.name} ${runs ? 'runs' : 'does not run'}`);
    const shown = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
      ({ name }) => name === spec.name,
    );
    if (instance === undefined) continue;
    const shownState = Object.keys(shown?.state ?? {}).join();
    if (!shown?.containerID?.endsWith(instance.id))
      complain(`${spec.name} is shown as ${shown?.containerID ?? 'none'}`);
    if (shown?.restartCount !== instance.metadata?.attempt)
      complain(
        `${spec.name} has attempt ${String(instance.metadata?.attempt)}, and is shown with ${String(shown?.restartCount)}`,
      );
    if (shownState !== (runs ? 'running' : 'terminated')) complain(`${spec.name} is shown ${shownState}`);
  }
  const phases = completed ? ['Succeeded', 'Failed'] : ['Running'];
  if (!phases.includes(status?.phase ?? '')) complain(`its phase is ${String(status?.phase)}`);
  const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  const allRun = apps.every((spec) => newest(spec.name)?.state === ContainerState.CONTAINER_RUNNING);
  if (!completed && isReady !== allRun) complain(`it is shown ${isReady ? 'ready' : 'not ready'}`);
  return problems;
}

/** Looks at the runtime whenever it is called and whenever it answers, and throws when something is there that must never be. */
function watchRuntime(
  bench: AgentBench,
  desired: ReadonlyMap<string, Pod>,
): {
  desire(pods: readonly Pod[]): void;
  lost(container: ContainerStatus): void;
  sandboxFailed(podUid: string): void;
  check(): void;
} {
  const { fake, files } = bench;
  const violations: string[] = [];
  const seen = new Set<string>();
  const logged = new Set<string>();
  /** Highest attempt that was started, by pod and container. */
  const attempts = new Map<string, number>();
  /** Pods and containers whose instances may count from 0 again. */
  const mayReset = new Set<string>();
  let wanted = new Set<string>();
  /** Containers whose pods have been wanted for as long as they run. */
  const protectedIds = new Set<string>();

  const look = (): void => {
    const { sandboxes, containers } = fake.snapshot();
    const only = (what: string, keys: readonly string[]): void => {
      for (const key of keys) if (keys.indexOf(key) !== keys.lastIndexOf(key)) violations.push(`two ${what} of ${key}`);
    };
    const running = containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    only('running containers', running.map(keyOf));
    only(
      'ready sandboxes',
      sandboxes
        .filter(({ state }) => state === PodSandboxState.SANDBOX_READY)
        .map(({ labels }) => labels[PodLabel.podUid] ?? ''),
    );
    for (const status of containers) {
      if (!seen.has(status.id)) noteCreation(status);
      if (status.startedAt > 0n && !logged.has(status.id)) {
        logged.add(status.id);
        attempts.set(keyOf(status), status.metadata?.attempt ?? 0);
        files.put(status.logPath, '');
      }
    }
  };
  const noteCreation = (status: ContainerStatus): void => {
    seen.add(status.id);
    const key = keyOf(status);
    const attempt = status.metadata?.attempt ?? 0;
    const before = attempts.get(key) ?? -1;
    if (wanted.has(status.labels[PodLabel.podUid] ?? '')) protectedIds.add(status.id);
    if (attempt <= before) {
      if (mayReset.has(key)) attempts.delete(key);
      else violations.push(`attempt ${String(attempt)} of ${key} follows ${String(before)}`);
    }
    mayReset.delete(key);
  };

  /** Why a running container may be stopped; throws when there is no reason. */
  const checkStop = (
    rpc: string,
    stopped: readonly ContainerStatus[],
    sandboxes: readonly PodSandboxStatus[],
  ): void => {
    for (const status of stopped) {
      if (status.state !== ContainerState.CONTAINER_RUNNING || !protectedIds.has(status.id)) continue;
      const uid = status.labels[PodLabel.podUid] ?? '';
      const pod = [...desired.values()].find((one) => uidOf(one) === uid);
      const { restartPolicy = 'Always', containers = [] } = pod?.spec ?? {};
      // Others come to an end, or are stopped after a hook that failed.
      if (pod === undefined || restartPolicy !== 'Always' || containers.some(({ lifecycle }) => lifecycle)) continue;
      const ready = sandboxes.some(
        ({ labels, state }) => labels[PodLabel.podUid] === uid && state === PodSandboxState.SANDBOX_READY,
      );
      if (ready) violations.push(`${rpc} of ${keyOf(status)}, which was to go on running`);
    }
  };

  const port = fake.runtime as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const rpc of Object.keys(port)) {
    const call = port[rpc]!;
    port[rpc] = (...args) => {
      look();
      const { sandboxes, containers } = fake.snapshot();
      const { containerId, podSandboxId } = (args[0] ?? {}) as { containerId?: string; podSandboxId?: string };
      if (rpc === 'stopContainer' || rpc === 'removeContainer')
        checkStop(
          rpc,
          containers.filter(({ id }) => id === containerId),
          sandboxes,
        );
      if (rpc === 'stopPodSandbox' || rpc === 'removePodSandbox') {
        const uid = sandboxes.find(({ id }) => id === podSandboxId)?.labels[PodLabel.podUid];
        const isReady = sandboxes.some(
          ({ id, state }) => id === podSandboxId && state === PodSandboxState.SANDBOX_READY,
        );
        if (isReady)
          checkStop(
            rpc,
            containers.filter(({ labels }) => labels[PodLabel.podUid] === uid),
            sandboxes,
          );
      }
      const answer = call(...args);
      return answer instanceof Promise ? answer.finally(look) : answer;
    };
  }

  return {
    desire(pods) {
      look();
      wanted = new Set(pods.map(uidOf));
      for (const { id, labels } of fake.snapshot().containers)
        if (!wanted.has(labels[PodLabel.podUid] ?? '')) protectedIds.delete(id);
      for (const key of attempts.keys()) if (!wanted.has(key.split('/', 1)[0]!)) mayReset.add(key);
    },
    lost: (status) => void mayReset.add(keyOf(status)),
    // Init containers are removed with their logs before they run again in a new sandbox, as by the kubelet.
    sandboxFailed(podUid) {
      const pod = [...desired.values()].find((one) => uidOf(one) === podUid);
      for (const { name } of pod?.spec?.initContainers ?? []) mayReset.add(`${podUid}/${name}`);
    },
    check() {
      look();
      if (violations.length > 0) throw new Error([...new Set(violations)].join('\n'));
    },
  };
}

function keyOf({ labels }: ContainerStatus): string {
  return `${labels[PodLabel.podUid] ?? ''}/${labels[PodLabel.containerName] ?? ''}`;
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
