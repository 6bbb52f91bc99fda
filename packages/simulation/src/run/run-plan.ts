import { resources } from '@rxlet/kube-api/resources';
import type { TestNode } from '@rxlet/testing';
import { slowDown } from '../faults/apply-lasting-fault.ts';
import type { History } from '../history/history.ts';
import { PROPERTIES } from '../properties/properties.ts';
import { checkProperties, type Property, type Violation } from '../properties/property.ts';
import { type FixedPoint, fixedPointOf } from '../rest/fixed-point.ts';
import { touchedUids, worldDifferences } from '../rest/world-differences.ts';
import type { Plan } from '../workload/plan.ts';
import type { Assembly } from '../world/assembly.ts';
import { endServerFaults, runApiStep, writeObject } from '../world/run-api-step.ts';
import { endEventFaults } from '../world/run-runtime-step.ts';
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
/** Name of a pod that is created once all faults but a permanent one have ended, and the time within which it must run. */
const NEW_POD = 'new';
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
  const { clock } = world.node;
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
  for (const { atMs, step } of plan.steps) {
    await driver.advanceTo(atMs);
    await driver.step(step);
  }
  await driver.advanceTo(plan.durationMs);
  endFaults(world);
  await driver.finish();
  endFaults(world);
  history.add({ kind: 'quiet' });
  await startNewPod(world, driver, report);
  if (!(await converge(world, driver, report, 'converges'))) return;
  history.add({ kind: 'rest', touched: touchedUids(world) });
  await driver.advance(REST_MS);
  if ((await worldDifferences(world)).length > 0) {
    // A container that crashes again and again is just about to change.
    await driver.advance(1_000);
    for (const text of await worldDifferences(world)) report('stays-at-rest', text);
  }
  onRest();
  removeAll(world);
  history.add({ kind: 'emptied' });
  await converge(world, driver, report, 'leaves-nothing');
}

/** Ends all faults but a permanent one. */
function endFaults(world: World): void {
  const { node, cluster, throwing, host, plan } = world;
  throwing.disarm();
  host.end();
  node.fake.clearFailpoints();
  endEventFaults(world);
  for (const part of world.parts) part.end?.();
  if (!node.fake.running) node.fake.start();
  const { lasting } = plan;
  if (lasting?.kind === 'slow-rpc') slowDown(lasting, node.fake);
  if (lasting?.kind === 'stuck-mounts') {
    const uids = (): ReadonlySet<string> =>
      new Set(
        world.history.events.flatMap((event) =>
          event.kind === 'desired' && event.pod.name === lasting.podName ? [event.pod.uid] : [],
        ),
      );
    host.stickMounts(uids);
  }
  if (cluster === undefined) return;
  endServerFaults(cluster);
  for (const kind of ['ConfigMap', 'Secret'] as const) writeObject(cluster, kind, 99);
  if (lasting?.kind === 'hanging-events')
    cluster.kube.faults.add({ match: { resource: 'events' }, action: { type: 'hang' } });
  if (lasting?.kind === 'unreachable-api' && cluster.kube.isRunning) cluster.kube.stop();
  if (lasting?.kind !== 'unreachable-api' && !cluster.kube.isRunning) cluster.kube.start();
}

/** Checks that a new pod starts soon, whatever state the others are in: no pod waits for a sick one. A list of all pods that hangs holds up any pod, as in the kubelet. */
async function startNewPod({ node }: World, driver: Driver, report: Report): Promise<void> {
  await driver.step({ do: 'set', name: NEW_POD, kind: 'one', version: 0 });
  let [spentMs, hungMs] = [0, 0];
  while (spentMs < NEW_POD_MS) {
    await driver.advance(LOOK_MS);
    if (node.running().includes(`${NEW_POD}/app`)) return;
    if (hungMs < CALL_TIMEOUT_MS && hasHangingList(node)) hungMs += LOOK_MS;
    else spentMs += LOOK_MS;
  }
  report('sick-pods-delay-no-other', `a new pod does not run after ${String(NEW_POD_MS / 1000)} s`);
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

/** Removes all pods from their sources. */
function removeAll(world: World): void {
  const { node, cluster, statics } = world;
  statics.clear();
  node.desire();
  if (cluster !== undefined) {
    for (const { metadata } of world.apiPods()) {
      const { name = '', namespace = 'default' } = metadata ?? {};
      if (metadata?.finalizers !== undefined) runApiStep({ do: 'hold', name, isHeld: false }, cluster);
      if (cluster.pod(name) !== undefined) cluster.kube.objects.delete(resources.pods, name, namespace);
    }
  }
  world.publish();
}

/** Stops the agent, and checks that it leaves nothing behind. */
async function disposeOf(world: World, report: Report): Promise<void> {
  const { node, cluster } = world;
  await world[Symbol.asyncDispose]();
  if (node.clock.pendingTimers > 0) report('no-leaks', `${String(node.clock.pendingTimers)} timers are left`);
  if (node.files.openHandles > 0) report('no-leaks', `${String(node.files.openHandles)} files are open`);
  if (node.files.openWatches > 0) report('no-leaks', `${String(node.files.openWatches)} files are watched`);
  const watches = cluster?.kube.cutWatches() ?? 0;
  if (watches > 0) report('no-leaks', `${String(watches)} watches are left`);
}
