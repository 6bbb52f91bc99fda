import type { Clock } from '@rxlet/component-base';
import type { Event, Pod } from '@rxlet/kube-api';
import { UsageError } from '../config/config-error.ts';
import { describeNodeLines } from '../output/node-description.ts';
import { describePodLines } from '../output/pod-description.ts';
import { events as eventKind } from '../resources/events.ts';
import type { Target } from '../resources/kinds.ts';
import { pods as podKind } from '../resources/pods.ts';
import { type AgentObject, byName } from '../resources/resource-kind.ts';
import type { AgentConnection } from './agent-connection.ts';
import { objectsOf } from './get-resources.ts';
import { selectionTest } from './select-objects.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link describeObjects}. */
export interface DescribeOptions {
  readonly targets: readonly Target[];
  readonly namespace: string;
  readonly selector?: string | undefined;
}

/**
 * `rxlet describe`
 * @throws AgentConnectionError when the agent does not answer, or there is no object of a name
 * @throws UsageError for a kind that is not described
 */
export async function describeObjects(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  { targets, namespace, selector }: DescribeOptions,
): Promise<void> {
  const unknown = targets.find(({ kind }) => kind.kind !== 'Pod' && kind.kind !== 'Node');
  if (unknown !== undefined) {
    const [plural] = unknown.kind.names;
    throw new UsageError(`${plural} are not described: use rxlet get ${plural} -o yaml`);
  }
  const events = await objectsOf(agent, eventKind, terminal.signal);
  const texts: string[] = [];
  for (const { kind, names } of targets) {
    const all = await objectsOf(agent, kind, terminal.signal);
    const objects =
      names.length > 0
        ? names.map((name) => kind.select(all, name, namespace))
        : all.filter(selectionTest(kind, { namespace, selector })).toSorted(byName);
    if (objects.length === 0) terminal.printError(`No ${kind.names[0]} found in namespace ${namespace}.`);
    for (const object of objects)
      texts.push(kind.kind === 'Node' ? await nodeText(object) : podText(object).join('\n'));
  }
  if (texts.length > 0) terminal.print(texts.join('\n\n\n'));

  function podText(pod: Pod): string[] {
    return describePodLines(pod, eventsOf(pod, events), clock.now());
  }
  async function nodeText(node: AgentObject): Promise<string> {
    const pods = await objectsOf(agent, podKind, terminal.signal);
    const own = events.filter(({ involvedObject }) => involvedObject.kind === 'Node');
    return describeNodeLines(node, pods.toSorted(byName), own, clock.now()).join('\n');
  }
}

function eventsOf({ metadata }: Pod, events: readonly Event[]): Event[] {
  return events.filter(({ involvedObject }) => involvedObject.uid === metadata?.uid);
}
