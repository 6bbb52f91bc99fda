import type { Choices } from './choices.ts';
import type { Plan } from './plan.ts';
import type { TimedStep } from './step.ts';
import { DURATION_MS, times } from './times.ts';

const NODE_NAMES = ['node1', 'node2', 'node3'] as const;
/** So many plans have faults on one node alone, which must not delay any pod of the others. */
const SICK_NODE_SHARE = 0.5;
/** So many faults of the API server concern the connection of one node, if no node has all faults. */
const CONNECTION_SHARE = 0.5;
/** So many times that an agent is away, a pod is moved by force meanwhile. */
const FORCED_MOVE_SHARE = 0.4;

/**
 * Returns a plan of a cluster with two or three nodes: each step gets its node, and pods move.
 *
 * @param statics names of static pods, each of which a node of its own has
 */
export function spreadOverNodes(plan: Plan, choose: Choices, statics: readonly string[]): Plan {
  const nodeNames = NODE_NAMES.slice(0, choose.integer(2, NODE_NAMES.length));
  const sickNode = choose.chance(SICK_NODE_SHARE) ? choose.pick(nodeNames) : undefined;
  const choices: NodeChoices = { choose, nodeNames, sickNode, statics };
  const names = plan.podNames.filter((name) => !statics.includes(name));
  const steps = plan.steps.flatMap((step) => placed(step, choices));
  const isOfPod = plan.lasting !== undefined && 'podName' in plan.lasting;
  return {
    ...plan,
    nodeNames,
    ...(plan.lasting !== undefined && !isOfPod && { lastingNode: sickNode ?? choose.pick(nodeNames) }),
    steps: [...steps, ...moves(choices, names), ...forcedMoves(steps, choices, names)].toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
  };
}

interface NodeChoices {
  readonly choose: Choices;
  readonly nodeNames: readonly string[];
  readonly sickNode: string | undefined;
  readonly statics: readonly string[];
}

/** Returns a step with its node; nothing for a fault that would concern all nodes while one alone is sick. */
function placed(timed: TimedStep, { choose, nodeNames, sickNode, statics }: NodeChoices): readonly TimedStep[] {
  const { step } = timed;
  const on = (node: string | undefined): readonly TimedStep[] => [node === undefined ? timed : { ...timed, node }];
  switch (step.do) {
    case 'set':
    case 'unset':
      return on(nodeNames[statics.indexOf(step.name) % nodeNames.length]);
    case 'create':
      return on(choose.pick(nodeNames));
    case 'delete':
    case 'move':
    case 'hold':
    case 'label':
    case 'image':
    case 'overwrite':
    case 'object':
    case 'exit':
    case 'resize':
      return on(undefined);
    // Of the node that has the pod.
    case 'lose':
    case 'fail-sandbox':
      return on(sickNode);
    case 'stale':
    case 'clock':
      return sickNode === undefined ? on(undefined) : [];
    case 'watches':
      if (step.how === 'compact' || step.how === 'rewind') return sickNode === undefined ? on(undefined) : [];
      return on(connection(choose, nodeNames, sickNode));
    case 'api-fault':
    case 'api-outage':
      return on(connection(choose, nodeNames, sickNode));
    default:
      return on(sickNode ?? choose.pick(nodeNames));
  }
}

/** Returns the node whose connection with the API server is disturbed; `undefined` for all. */
function connection(choose: Choices, nodeNames: readonly string[], sickNode: string | undefined): string | undefined {
  return sickNode ?? (choose.chance(CONNECTION_SHARE) ? choose.pick(nodeNames) : undefined);
}

/** Returns moves of single pods, and of several at a time, as when a node is drained. */
function moves({ choose, nodeNames }: NodeChoices, names: readonly string[]): TimedStep[] {
  return times(choose, choose.pick([2, 6, 15])).flatMap((atMs) => {
    const to = choose.pick(nodeNames);
    const moved = choose.chance(0.2) ? names.filter(() => choose.chance(0.5)) : [choose.pick(names)];
    const graceSeconds = choose.pick([undefined, undefined, 0, 0, 1, 5]);
    return moved.map((name): TimedStep => ({ atMs, step: { do: 'move', name, to, graceSeconds } }));
  });
}

/** Returns moves by force while an agent is away or cut from the API server. */
function forcedMoves(
  steps: readonly TimedStep[],
  { choose, nodeNames }: NodeChoices,
  names: readonly string[],
): TimedStep[] {
  return steps.flatMap(({ atMs, step }): TimedStep[] => {
    const isAway = step.do === 'kill' || step.do === 'stop' || step.do === 'power-failure' || step.do === 'api-outage';
    if (!isAway || !choose.chance(FORCED_MOVE_SHARE)) return [];
    const meetMs = Math.min(DURATION_MS, atMs + choose.integer(1, choose.pick([300, 10_000])));
    const move: TimedStep['step'] = {
      do: 'move',
      name: choose.pick(names),
      to: choose.pick(nodeNames),
      graceSeconds: 0,
    };
    return [{ atMs: meetMs, step: move }];
  });
}
