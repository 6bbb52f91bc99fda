import type { History } from '../history/history.ts';
import { countOf, type ReachedState } from './reached-state.ts';

const nodes = (name: string, matches: (history: History) => Iterable<unknown>): ReachedState => ({
  name,
  workloads: ['nodes'],
  scope: 'world',
  count: countOf(matches),
});

/** The states that runs of the workload `nodes` must reach. */
export const NODES_STATES: readonly ReachedState[] = [
  nodes('a pod moves to another node', function* (history) {
    const nodeOf = new Map<string, string>();
    for (const event of history) {
      if (event.kind !== 'desired' || event.node === undefined) continue;
      const before = nodeOf.get(event.pod.name);
      if (before !== undefined && before !== event.node) yield event;
      nodeOf.set(event.pod.name, event.node);
    }
  }),
  nodes('pods of one name run on two nodes', function* (history) {
    const names = new Map<string, string>();
    /** Names of pods by running container, with the node. */
    const running = new Map<string, readonly [name: string, node: string | undefined]>();
    for (const event of history) {
      if (event.kind === 'desired') names.set(event.pod.uid, event.pod.name);
      if (event.kind !== 'container') continue;
      const { id, uid } = event.container;
      if (event.change === 'exited' || event.change === 'removed') running.delete(id);
      if (event.change !== 'started') continue;
      const name = names.get(uid) ?? '';
      if ([...running.values()].some(([other, node]) => other === name && node !== event.node)) yield event;
      running.set(id, [name, event.node]);
    }
  }),
  nodes('a pod is deleted by force while the agent of its node is away', function* (history) {
    const away = new Set<string | undefined>();
    for (const event of history) {
      if (event.kind === 'agent' && event.change === 'started') away.delete(event.node);
      if (event.kind === 'agent' && event.change !== 'started') away.add(event.node);
      if (event.kind === 'undesired' && event.graceSeconds === 0 && away.has(event.node)) yield event;
    }
  }),
  nodes('an agent starts a container while that of another node is away', function* (history) {
    const away = new Set<string | undefined>();
    for (const event of history) {
      if (event.kind === 'agent' && event.change === 'started') away.delete(event.node);
      if (event.kind === 'agent' && event.change !== 'started') away.add(event.node);
      const isStart = event.kind === 'container' && event.change === 'started';
      if (isStart && away.size > 0 && !away.has(event.node)) yield event;
    }
  }),
  nodes('an agent reports a pod whose name is one of another node by now', function* (history) {
    const names = new Map<string, string>();
    const nodeOf = new Map<string, string | undefined>();
    for (const event of history) {
      if (event.kind === 'desired') names.set(event.pod.uid, event.pod.name);
      if (event.kind === 'desired') nodeOf.set(event.pod.name, event.node);
      if (event.kind !== 'status') continue;
      const name = names.get(event.status.uid);
      if (name !== undefined && nodeOf.get(name) !== event.node) yield event;
    }
  }),
];
