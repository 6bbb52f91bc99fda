import { containerKey, type History, historiesOfNodes } from '../history/history.ts';
import type { Workload } from '../workload/workloads.ts';
import { EXTENDED_STATES } from './extended-states.ts';
import { NODES_STATES } from './nodes-states.ts';
import { countOf, type ReachedState } from './reached-state.ts';

/** The states that 10,000 runs of all workloads must reach. */
export const REACHED_STATES: readonly ReachedState[] = [
  {
    name: 'a container runs although its start failed',
    count: countOf(function* (history) {
      const failed = new Set<string>();
      for (const event of history) {
        if (event.kind === 'answer' && event.call.rpc === 'startContainer' && event.error !== undefined)
          failed.add(event.call.target);
        if (event.kind === 'rest') for (const id of runningIds(history, event.atMs)) if (failed.has(id)) yield id;
      }
    }),
  },
  {
    name: 'an agent adopts containers that it did not start',
    count: countOf(function* (history) {
      let running = 0;
      for (const event of history) {
        if (event.kind === 'container' && event.change === 'started') running += 1;
        if (event.kind === 'container' && event.change === 'exited') running -= 1;
        if (event.kind === 'agent' && event.change === 'started' && running > 0) yield event;
      }
    }),
  },
  killedAfter('createContainer'),
  killedAfter('startContainer'),
  killedAfter('stopContainer'),
  killedAfter('runPodSandbox'),
  killedAfter('removePodSandbox'),
  {
    name: 'an agent is killed while it starts',
    count: countOf(function* (history) {
      for (const event of history) if (event.kind === 'agent' && event.change === 'start failed') yield event;
    }),
  },
  {
    name: 'a pod is removed from its source while its sandbox is created',
    count: countOf(function* (history) {
      const creating = new Set<string>();
      for (const event of history) {
        if (event.kind === 'call' && event.rpc === 'runPodSandbox') creating.add(event.uid);
        if (event.kind === 'answer' && event.call.rpc === 'runPodSandbox') creating.delete(event.call.uid);
        if (event.kind === 'undesired' && creating.has(event.uid)) yield event;
      }
    }),
  },
  {
    name: 'a static pod comes back while it terminates',
    count: countOf(function* (history) {
      const existing = new Map<string, number>();
      const undesired = new Set<string>();
      for (const event of history) {
        if (event.kind === 'container' && event.change === 'created')
          existing.set(event.container.uid, (existing.get(event.container.uid) ?? 0) + 1);
        if (event.kind === 'container' && event.change === 'removed')
          existing.set(event.container.uid, (existing.get(event.container.uid) ?? 0) - 1);
        if (event.kind === 'undesired') undesired.add(event.uid);
        if (event.kind === 'desired' && undesired.delete(event.pod.uid) && (existing.get(event.pod.uid) ?? 0) > 0)
          yield event;
      }
    }),
  },
  {
    name: 'a container is restarted three times',
    count: countOf(function* (history) {
      for (const event of history)
        if (event.kind === 'container' && event.change === 'started' && event.container.attempt === 3) yield event;
    }),
  },
  {
    name: 'a sandbox is replaced while its pod is desired',
    count: countOf(function* (history) {
      const desired = new Set<string>();
      const had = new Set<string>();
      for (const event of history) {
        if (event.kind === 'desired') desired.add(event.pod.uid);
        if (event.kind === 'undesired') {
          desired.delete(event.uid);
          had.delete(event.uid);
        }
        if (event.kind !== 'sandbox' || event.change !== 'ready' || !desired.has(event.uid)) continue;
        if (had.has(event.uid)) yield event;
        had.add(event.uid);
      }
    }),
  },
  {
    name: 'a pod is deleted by force while a container runs',
    // Static pods always have a grace period.
    workloads: ['cluster', 'extended', 'nodes'],
    count: countOf(function* (history) {
      const running = new Set<string>();
      for (const event of history) {
        if (event.kind === 'container' && event.change === 'started') running.add(containerKey(event.container));
        if (event.kind === 'container' && event.change === 'exited') running.delete(containerKey(event.container));
        if (
          event.kind === 'undesired' &&
          event.graceSeconds === 0 &&
          [...running].some((key) => key.startsWith(`${event.uid}/`))
        )
          yield event;
      }
    }),
  },
  {
    name: 'a stop fails and is repeated',
    count: countOf(function* (history) {
      const failed = new Set<string>();
      for (const event of history) {
        if (event.kind === 'answer' && event.call.rpc === 'stopContainer' && event.error !== undefined)
          failed.add(event.call.target);
        if (event.kind === 'call' && event.rpc === 'stopContainer' && failed.delete(event.target)) yield event;
      }
    }),
  },
  {
    name: 'a file of the agent is damaged',
    count: countOf(function* (history) {
      for (const event of history) if (event.kind === 'damaged') yield event;
    }),
  },
  {
    name: 'a pod starts while the runtime has been away',
    count: countOf(function* (history) {
      for (const event of history)
        if (event.kind === 'answer' && event.call.rpc === 'runPodSandbox' && event.error?.includes('stopped') === true)
          yield event;
    }),
  },
  {
    name: 'the machine loses its power while containers run',
    count: countOf(function* (history) {
      let running = 0;
      let before = 0;
      for (const event of history) {
        if (event.kind === 'step') before = running;
        if (event.kind === 'container' && event.change === 'started') running += 1;
        if (event.kind === 'container' && event.change === 'exited') running -= 1;
        if (event.kind === 'power' && event.change === 'off' && before > 0) yield event;
      }
    }),
  },
  {
    name: 'an agent starts with a file of another version',
    count: countOf(function* (history) {
      for (const event of history)
        if (event.kind === 'damaged' && (event.how === 'unknown-fields' || event.how === 'other-version')) yield event;
    }),
  },
  {
    name: 'a container is adopted after an unknown outcome',
    count: countOf(function* (history) {
      /** Containers whose creation had an effect and no good answer. */
      const unknown = new Set<string>();
      const created = new Map<string, string>();
      for (const event of history) {
        if (event.kind === 'container' && event.change === 'created')
          created.set(containerKey(event.container), event.container.id);
        if (event.kind === 'answer' && event.call.rpc === 'createContainer') {
          const key = containerKey({ uid: event.call.uid, name: event.call.target });
          const id = created.get(key);
          if (event.error !== undefined && id !== undefined) unknown.add(id);
          created.delete(key);
        }
        if (event.kind === 'container' && event.change === 'started' && unknown.has(event.container.id)) yield event;
      }
    }),
  },
  {
    name: 'a healthy pod survives the whole run',
    count: countOf(function* (history) {
      for (const event of history) if (event.kind === 'rest') yield* runningIds(history, event.atMs);
    }),
  },
  ...EXTENDED_STATES,
  ...NODES_STATES,
];

/** The agent was killed after the effect of a call and before it had the answer. */
function killedAfter(rpc: string): ReachedState {
  return {
    name: `an agent is killed after the effect of ${rpc} and before the answer`,
    count: countOf(function* (history) {
      let answered: string | undefined;
      for (const event of history) {
        if (event.kind === 'call' || event.kind === 'step') answered = undefined;
        if (event.kind === 'answer') answered = event.error === undefined ? event.call.rpc : undefined;
        if (event.kind === 'agent' && event.change === 'killed' && answered === rpc) yield event;
      }
    }),
  };
}

function runningIds(history: History, atMs: number): ReadonlySet<string> {
  const running = new Set<string>();
  for (const event of history) {
    if (event.atMs > atMs) break;
    if (event.kind !== 'container') continue;
    if (event.change === 'started') running.add(event.container.id);
    if (event.change === 'exited' || event.change === 'removed') running.delete(event.container.id);
  }
  return running;
}

/** Counts in how many runs each state is reached. */
export interface ReachedCounter {
  /** Number of runs in which each state was reached, by name. */
  readonly runs: ReadonlyMap<string, number>;
  add(history: History): void;
  /** Returns the states that no run has reached. */
  missing(): readonly string[];
}

/** Returns the states that runs of some workloads can reach. */
export function reachableStates(workloads: readonly Workload[]): readonly ReachedState[] {
  return REACHED_STATES.filter((state) => state.workloads?.some((one) => workloads.includes(one)) ?? true);
}

/** Creates a counter of states. */
export function createReachedCounter(states: readonly ReachedState[] = REACHED_STATES): ReachedCounter {
  const runs = new Map(states.map(({ name }) => [name, 0]));
  return {
    runs,
    add(history) {
      const nodes = [...historiesOfNodes(history).values()];
      for (const { name, scope, count } of states)
        if ((scope === 'world' ? [history] : nodes).some((own) => count(own) > 0)) runs.set(name, runs.get(name)! + 1);
    },
    missing: () => [...runs].filter(([, count]) => count === 0).map(([name]) => name),
  };
}
