import type { Clock } from '@rxlet/component-base';
import type { Event } from '@rxlet/kube-api';
import { EVENT_COLUMNS, eventRow } from '../output/event-row.ts';
import { createTable } from '../output/table.ts';
import type { AgentConnection } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';
import { watchList } from './watch-list.ts';

/**
 * Runs `rxlet events`: prints the events of all pods, or of those in `namespace`, the latest last; with `watch`, then each new one.
 * @throws AgentConnectionError when the agent does not answer
 */
export async function printEvents(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  watch: boolean,
  namespace?: string,
): Promise<void> {
  const table = createTable(EVENT_COLUMNS);
  const print = (events: readonly Event[]): boolean => {
    const matching = events.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    if (matching.length > 0)
      terminal.print(table.format(matching.map((event) => eventRow(event, clock.now()))).join('\n'));
    return matching.length > 0;
  };
  if (watch) {
    for await (const changes of watchList<Event>(agent, '/events', terminal.signal))
      print(changes.map(({ object }) => object));
    return;
  }
  const { items } = (await agent.getJson('/events', terminal.signal)) as { items: readonly Event[] };
  if (!print(items))
    terminal.printError(namespace === undefined ? 'No events found.' : `No events found in namespace ${namespace}.`);
}
