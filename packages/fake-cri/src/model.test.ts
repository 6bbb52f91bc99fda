import { ContainerState, type ContainerStatus, PodSandboxState, StatusCode } from '@rxlet/cri-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, codeOf, createBench } from './test-support.ts';

/** Program of a container, and its behaviour by itself and on SIGTERM. */
const PROGRAMS = {
  forever: { command: ['nginx'], lastsMs: Infinity, heedsTerm: true },
  short: { command: ['sleep', '5'], lastsMs: 5000, heedsTerm: true },
  failing: { command: ['sh', '-c', 'sleep 2; exit 3'], lastsMs: 2000, heedsTerm: true },
  stubborn: { command: ['sh', '-c', "trap '' TERM; sleep 50"], lastsMs: 50_000, heedsTerm: false },
} as const;
type ProgramName = keyof typeof PROGRAMS;

interface ModelSandbox {
  readonly pod: string;
  readonly attempt: number;
  ready: boolean;
}

interface ModelContainer {
  readonly sandboxId: string;
  readonly name: string;
  readonly program: ProgramName;
  state: 'CREATED' | 'RUNNING' | 'EXITED';
  /** Time at which its program ends by itself. */
  endsAtMs: number;
}

/** Model of a container runtime, as simple as possible. Ids of removed objects stay in use by later steps. */
interface Model {
  readonly sandboxes: Map<string, ModelSandbox>;
  readonly containers: Map<string, ModelContainer>;
  readonly knownSandboxIds: string[];
  readonly knownContainerIds: string[];
}

/** A step: makes a call, predicts its outcome, and changes the model accordingly. */
type Step = (model: Model, bench: Bench) => Promise<void>;

const pick = (ids: readonly string[], index: number): string => ids[index % ids.length] ?? 'never-existed';

async function expectCode(call: Promise<unknown>, code: number | undefined): Promise<void> {
  expect(await codeOf(call)).toBe(code);
}

const runSandbox =
  (pod: string, attempt: number): Step =>
  async (model, bench) => {
    const taken = [...model.sandboxes.values()].some((sandbox) => sandbox.pod === pod && sandbox.attempt === attempt);
    const call = bench.runSandbox(pod, { metadata: { name: pod, namespace: 'default', uid: pod, attempt } });
    if (taken) return expectCode(call, StatusCode.AlreadyExists);
    const id = await call;
    expect(model.knownSandboxIds).not.toContain(id);
    model.knownSandboxIds.push(id);
    model.sandboxes.set(id, { pod, attempt, ready: true });
  };

const createContainer =
  (index: number, name: string, program: ProgramName): Step =>
  async (model, bench) => {
    const sandboxId = pick(model.knownSandboxIds, index);
    const sandbox = model.sandboxes.get(sandboxId);
    const call = bench.create(sandboxId, { metadata: { name, attempt: 0 }, command: [...PROGRAMS[program].command] });
    if (sandbox === undefined) return expectCode(call, StatusCode.NotFound);
    if (!sandbox.ready) return expectCode(call, StatusCode.FailedPrecondition);
    const taken = [...model.containers.values()].some(
      (container) => container.name === name && model.sandboxes.get(container.sandboxId)?.pod === sandbox.pod,
    );
    if (taken) return expectCode(call, StatusCode.AlreadyExists);
    const id = await call;
    expect(model.knownContainerIds).not.toContain(id);
    model.knownContainerIds.push(id);
    model.containers.set(id, { sandboxId, name, program, state: 'CREATED', endsAtMs: Infinity });
  };

const startContainer =
  (index: number): Step =>
  async (model, bench) => {
    const containerId = pick(model.knownContainerIds, index);
    const container = model.containers.get(containerId);
    const call = bench.fake.runtime.startContainer({ containerId });
    if (container === undefined) return expectCode(call, StatusCode.NotFound);
    if (container.state !== 'CREATED' || !model.sandboxes.get(container.sandboxId)!.ready) {
      return expectCode(call, StatusCode.FailedPrecondition);
    }
    await call;
    container.state = 'RUNNING';
    container.endsAtMs = bench.clock.now() + PROGRAMS[container.program].lastsMs;
  };

const stopContainer =
  (index: number, timeoutSeconds: number): Step =>
  async (model, bench) => {
    const containerId = pick(model.knownContainerIds, index);
    const container = model.containers.get(containerId);
    const call = bench.fake.runtime.stopContainer({ containerId, timeout: BigInt(timeoutSeconds) });
    if (container?.state === 'RUNNING') {
      const waits = timeoutSeconds > 0 && !PROGRAMS[container.program].heedsTerm;
      if (waits)
        await advanceTime(Math.min(timeoutSeconds * 1000, container.endsAtMs - bench.clock.now()))(model, bench);
      container.state = 'EXITED';
    }
    await call;
  };

const removeContainer =
  (index: number): Step =>
  async (model, bench) => {
    const containerId = pick(model.knownContainerIds, index);
    await bench.fake.runtime.removeContainer({ containerId });
    model.containers.delete(containerId);
  };

const containersOf = (model: Model, sandboxId: string): [string, ModelContainer][] =>
  [...model.containers].filter(([, container]) => container.sandboxId === sandboxId);

const stopSandbox =
  (index: number): Step =>
  async (model, bench) => {
    const podSandboxId = pick(model.knownSandboxIds, index);
    await bench.fake.runtime.stopPodSandbox({ podSandboxId });
    const sandbox = model.sandboxes.get(podSandboxId);
    if (sandbox !== undefined) sandbox.ready = false;
    for (const [, container] of containersOf(model, podSandboxId))
      if (container.state === 'RUNNING') container.state = 'EXITED';
  };

const removeSandbox =
  (index: number): Step =>
  async (model, bench) => {
    const podSandboxId = pick(model.knownSandboxIds, index);
    await bench.fake.runtime.removePodSandbox({ podSandboxId });
    model.sandboxes.delete(podSandboxId);
    for (const [id] of containersOf(model, podSandboxId)) model.containers.delete(id);
  };

const advanceTime =
  (ms: number): Step =>
  async (model, bench) => {
    await bench.clock.advance(ms);
    for (const container of model.containers.values()) {
      if (container.state === 'RUNNING' && container.endsAtMs <= bench.clock.now()) container.state = 'EXITED';
    }
  };

/** Checks the invariants after every step. */
function checkAgainst(model: Model, bench: Bench): void {
  const { sandboxes, containers } = bench.fake.snapshot();
  expect(sandboxes.map((status) => [status.id, status.state === PodSandboxState.SANDBOX_READY])).toEqual(
    Array.from(model.sandboxes, ([id, sandbox]) => [id, sandbox.ready]),
  );
  expect(containers.map((status) => [status.id, ContainerState[status.state].replace('CONTAINER_', '')])).toEqual(
    Array.from(model.containers, ([id, container]) => [id, container.state]),
  );
  const ips = sandboxes.map((status) => status.network!.ip).filter((ip) => ip !== '');
  expect(new Set(ips).size).toBe([...model.sandboxes.values()].filter((sandbox) => sandbox.ready).length);
  for (const status of containers) checkTimes(status);
  const running = [...model.containers.values()].filter(
    (container) => container.state === 'RUNNING' && container.endsAtMs < Infinity,
  );
  expect(bench.clock.pendingTimers).toBe(running.length);
}

function checkTimes({ state, createdAt, startedAt, finishedAt }: ContainerStatus): void {
  expect(createdAt > 0n).toBe(true);
  expect(startedAt > createdAt).toBe(state === ContainerState.CONTAINER_RUNNING || finishedAt > 0n);
  expect(finishedAt > startedAt).toBe(state === ContainerState.CONTAINER_EXITED);
}

const index = fc.nat(20);
const pod = fc.constantFrom('web', 'db');
const program = fc.constantFrom(...(Object.keys(PROGRAMS) as ProgramName[]));
const named = (text: string, run: Step): { run: Step } => ({ run, [fc.toStringMethod]: () => text }) as { run: Step };
const step: fc.Arbitrary<{ run: Step }> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(pod, fc.nat(1))
      .map(([name, attempt]) => named(`run ${name} ${String(attempt)}`, runSandbox(name, attempt))),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(index, fc.constantFrom('a', 'b'), program)
      .map(([at, name, runs]) => named(`create ${name} in ${String(at)}: ${runs}`, createContainer(at, name, runs))),
  },
  { weight: 4, arbitrary: index.map((at) => named(`start ${String(at)}`, startContainer(at))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(index, fc.nat(30))
      .map(([at, seconds]) => named(`stop ${String(at)} in ${String(seconds)} s`, stopContainer(at, seconds))),
  },
  { weight: 2, arbitrary: index.map((at) => named(`remove ${String(at)}`, removeContainer(at))) },
  { weight: 1, arbitrary: index.map((at) => named(`stop sandbox ${String(at)}`, stopSandbox(at))) },
  { weight: 1, arbitrary: index.map((at) => named(`remove sandbox ${String(at)}`, removeSandbox(at))) },
  { weight: 3, arbitrary: fc.nat(6000).map((ms) => named(`wait ${String(ms)} ms`, advanceTime(ms))) },
);
const steps = fc.array(step, { maxLength: 40, size: 'max' });

describe('the state machine', () => {
  it('behaves like the model in every sequence of calls, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const bench = await createBench();
        const model: Model = {
          sandboxes: new Map(),
          containers: new Map(),
          knownSandboxIds: [],
          knownContainerIds: [],
        };
        for (const { run } of sequence) {
          await run(model, bench);
          await bench.clock.settle();
          checkAgainst(model, bench);
        }
        for (const podSandboxId of model.knownSandboxIds) await bench.fake.runtime.removePodSandbox({ podSandboxId });
        expect(bench.fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
        expect(bench.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
