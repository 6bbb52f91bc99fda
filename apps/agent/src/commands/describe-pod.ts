import type { Clock } from '@rxlet/component-base';
import type { Event } from '@rxlet/kube-api';
import { describePodLines } from '../output/pod-description.ts';
import type { AgentConnection } from './agent-connection.ts';
import { findPod } from './find-pod.ts';
import type { Terminal } from './terminal.ts';

/** `rxlet describe pod` */
export async function describePod(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  name: string,
  namespace: string,
): Promise<void> {
  const pod = await findPod(agent, name, namespace, terminal.signal);
  const { items } = (await agent.getJson('/events', terminal.signal)) as { items: readonly Event[] };
  const events = items.filter(({ involvedObject }) => involvedObject.uid === pod.metadata?.uid);
  terminal.print(describePodLines(pod, events, clock.now()).join('\n'));
}
