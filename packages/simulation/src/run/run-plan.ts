import { atEndOfTurn } from '@rxlet/component-base';
import { nodeUser } from '@rxlet/fake-kube';
import { resources } from '@rxlet/kube-api/resources';
import type { TestNode } from '@rxlet/testing';
import { slowDown } from '../faults/apply-lasting-fault.ts';
import type { History } from '../history/history.ts';
import { PROPERTIES } from '../properties/properties.ts';
import { checkProperties, type Property, type Violation } from '../properties/property.ts';
import { type FixedPoint, fixedPointOf } from '../rest/fixed-point.ts';
import { nodeDifferences, touchedUids } from '../rest/node-differences.ts';
import type { Plan } from '../workload/plan.ts';
import type { Assembly } from '../world/assembly.ts';
import { endServerFaults, runApiStep, writeObject } from '../world/run-api-step.ts';
import { endEventFaults } from '../world/run-runtime-step.ts';
import type { SimulatedNode } from '../world/simulated-node.ts';
import { createWorld, type World } from '../world/world.ts';
import { createDriver, type Driver } from './driver.ts';

/** Result of a run. */
export interface RunResult {
  readonly plan: Plan;
  /** In the order of time; none when the agent kept all properties. */
  readonly violations: readonly Violation[];
  readonly history: History;
  /** State at rest; `undefined` when the world did not come to rest. */
  readonly fixedPoint?: FixedPoint | undefined;
  /** Virtual duration, in milliseconds. */
  readonly virtualMs: number;
}

/** Options of {@link runPlan}. */
export interface RunOptions {
  readonly assembly?: Assembly;
  /** Further properties. */
  readonly properties?: readonly Property[];
}

/** Time without faults after which the agent must have converged: longer than the maximum back-off and than every hanging call. */
const CONVERGENCE_MS = 1_200_000;
/** Times between two looks at the world while it converges. The first is longer than the longest job. */
const LOOKS_MS = [10_000, 20_000, 30_000, 60_000, 120_000];
/** Time within which a pod must run that is created once all faults but a permanent one have ended. */
const NEW_POD_MS = 30_000;
const LOOK_MS = 1_000;
/** Time after which the agent gives up a list. */
const CALL_TIMEOUT_MS = 120_000;
const LISTS: ReadonlySet<string> = new Set(['listPodSandbox', 'listContainers']);
/** Time for which a converged world is observed. */
const REST_MS = 60_000;

/** Runs a plan and checks all properties. */
export async function runPlan(plan: Plan, { assembly = {}, properties = [] }: RunOptions = {}): Promise<RunResult> {
  const world = createWorld(plan, assembly);
  const { clock } = world;
  const violations: Violation[] = [];
  const report = (property: string, text: string): void =>
    void violations.push({ property, atMs: clock.monotonicNow(), text });
  let fixedPoint: FixedPoint | undefined;
  const onRest = (): void => void (fixedPoint = fixedPointOf(world));
  try {
    await drive(world, createDriver(world), report, onRest);
  } catch (error) {
    report('no-exception', (error as Error).stack ?? String(error));
  }
  const virtualMs = clock.monotonicNow();
  try {
    await disposeOf(world, report);
  } catch (error) {
    report('no-exception', (error as Error).stack ?? String(error));
  }
  // The virtual clock never turns the event loop, and the engine cleans up after finalized objects in turns alone: without one, each run would leave memory behind.
  await new Promise<void>(atEndOfTurn);
  const { events } = world.history;
  return {
    plan,
    history: events,
    virtualMs,
    fixedPoint,
    violations: [...checkProperties([...PROPERTIES, ...properties], events), ...violations],
  };
}

type Report = (property: string, text: string) => void;

async function drive(world: World, driver: Driver, report: Report, onRest: () => void): Promise<void> {
  const { plan, history } = world;
  await driver.begin();
  for (const { atMs, node, step } of plan.steps) {
    await driver.advanceTo(atMs);
    await driver.step({ node, step });
  }
  await driver.advanceTo(plan.durationMs);
  endFaults(world);
  await driver.finish();
  endFaults(world);
  history.add({ kind: 'quiet' });
  await startNewPods(world, driver, report);
  if (!(await converge(world, driver, report, 'converges'))) return;
  for (const one of world.nodes) one.history.add({ kind: 'rest', touched: touchedUids(one) });
  await driver.advance(REST_MS);
  if ((await worldDifferences(world)).length > 0) {
    // A container that crashes again and again is just about to change, or the garbage collection waits for a pod whose removals hang.
    await driver.advance(plan.lasting?.kind === 'hanging-pod' ? CALL_TIMEOUT_MS + LOOK_MS : LOOK_MS);
    for (const text of await worldDifferences(world)) report('stays-at-rest', text);
  }
  onRest();
  removeAll(world);
  history.add({ kind: 'emptied' });
  await converge(world, driver, report, 'leaves-nothing');
}

/** Ends all faults but a permanent one. */
function endFaults(world: World): void {
  const { kube, nodes, plan } = world;
  for (const one of nodes) endNodeFaults(one);
  if (kube === undefined) return;
  endServerFaults(kube);
  for (const kind of ['ConfigMap', 'Secret'] as const) writeObject(kube, kind, 99);
  const { lasting } = plan;
  for (const { node, cluster, lasting: own } of nodes) {
    if (own?.kind === 'hanging-events')
      kube.faults.add({ match: { resource: 'events', user: nodeUser(node.name).name }, action: { type: 'hang' } });
    if (cluster !== undefined) cluster.isConnected = own?.kind !== 'unreachable-api';
  }
  // A server that no node reaches is away.
  const isAway = lasting?.kind === 'unreachable-api' && plan.lastingNode === undefined;
  if (isAway && kube.isRunning) kube.stop();
  if (!isAway && !kube.isRunning) kube.start();
}

function endNodeFaults(subject: SimulatedNode): void {
  const { node, throwing, host, lasting, parts, history } = subject;
  throwing.disarm();
  host.end();
  node.fake.clearFailpoints();
  endEventFaults(subject);
  for (const part of parts) part.end?.();
  if (!node.fake.running) node.fake.start();
  if (lasting?.kind === 'slow-rpc') slowDown(lasting, node.fake);
  if (lasting?.kind === 'stuck-mounts') {
    const uids = (): ReadonlySet<string> =>
      new Set(
        history.events.flatMap((event) =>
          event.kind === 'desired' && event.pod.name === lasting.podName ? [event.pod.uid] : [],
        ),
      );
    host.stickMounts(uids);
  }
}

/** Checks that a new pod starts soon on each node, whatever state the others are in: no pod waits for a sick one. A list of all pods that hangs holds up any pod, as in the kubelet. */
async function startNewPods({ nodes }: World, driver: Driver, report: Report): Promise<void> {
  const waiting = new Map(nodes.map((one) => [one, { spentMs: 0, hungMs: 0 }]));
  for (const { name } of nodes)
    await driver.step({ node: name, step: { do: 'set', name: newPodName(name), kind: 'one', version: 0 } });
  while (waiting.size > 0) {
    await driver.advance(LOOK_MS);
    for (const [one, times] of waiting) {
      const { name, node } = one;
      if (node.running().includes(`${newPodName(name)}/app`)) waiting.delete(one);
      else if (times.hungMs < CALL_TIMEOUT_MS && hasHangingList(node)) times.hungMs += LOOK_MS;
      else times.spentMs += LOOK_MS;
      if (times.spentMs < NEW_POD_MS) continue;
      report('sick-pods-delay-no-other', `a new pod of ${name} does not run after ${String(NEW_POD_MS / 1000)} s`);
      waiting.delete(one);
    }
  }
}

/** Returns the name of the pod that a node gets once all faults but a permanent one have ended. Its mirror pods are unique in the cluster. */
function newPodName(nodeName: string): string {
  return `new-${nodeName}`;
}

function hasHangingList({ fake }: TestNode): boolean {
  return fake.callLog().some(({ rpc, durationMs }) => LISTS.has(rpc) && durationMs === undefined);
}

/** Advances until the world is as desired. */
async function converge(world: World, driver: Driver, report: Report, property: string): Promise<boolean> {
  let problems: readonly string[] = [];
  let spentMs = 0;
  for (let look = 0; spentMs < CONVERGENCE_MS; look += 1) {
    const ms = LOOKS_MS[look] ?? LOOKS_MS.at(-1)!;
    await driver.advance(ms);
    spentMs += ms;
    problems = await worldDifferences(world);
    if (problems.length === 0) return true;
  }
  for (const text of problems) report(property, text);
  return false;
}

/** Returns the differences between the actual and the desired state of all nodes. */
async function worldDifferences({ nodes }: World): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const one of nodes) {
    const found = await nodeDifferences(one);
    problems.push(...found.map((text) => (nodes.length < 2 ? text : `${one.name}: ${text}`)));
  }
  return problems;
}

/** Removes all pods from their sources. */
function removeAll(world: World): void {
  for (const { node, cluster, statics, apiPods } of world.nodes) {
    statics.clear();
    node.desire();
    if (cluster === undefined) continue;
    for (const { metadata } of apiPods()) {
      const { name = '', namespace = 'default' } = metadata ?? {};
      if (metadata?.finalizers !== undefined) runApiStep({ do: 'hold', name, isHeld: false }, cluster);
      if (cluster.pod(name) !== undefined) cluster.kube.objects.delete(resources.pods, name, namespace);
    }
  }
  world.publish();
}

/** Stops the agents, and checks that they leave nothing behind. */
async function disposeOf(world: World, report: Report): Promise<void> {
  const { nodes, clock, kube } = world;
  await world[Symbol.asyncDispose]();
  if (clock.pendingTimers > 0) report('no-leaks', `${String(clock.pendingTimers)} timers are left`);
  for (const { files } of nodes.map(({ node }) => node)) {
    if (files.openHandles > 0) report('no-leaks', `${String(files.openHandles)} files are open`);
    if (files.openWatches > 0) report('no-leaks', `${String(files.openWatches)} files are watched`);
  }
  const watches = kube?.cutWatches() ?? 0;
  if (watches > 0) report('no-leaks', `${String(watches)} watches are left`);
}
