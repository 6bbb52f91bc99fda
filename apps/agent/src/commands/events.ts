import type { Clock } from '@rxlet/component-base';
import { events } from '../resources/events.ts';
import { parseTargets } from '../resources/kinds.ts';
import { UsageError } from '../config/config-error.ts';
import type { AgentConnection } from './agent-connection.ts';
import { findPod } from './find-pod.ts';
import { getResources } from './get-resources.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link printEvents}. */
export interface EventsOptions {
  readonly namespace?: string | undefined;
  readonly watch: boolean;
  /** Only events of this object, as `pod/NAME`. */
  readonly about?: string | undefined;
  /** Only events of these types, separated by commas. */
  readonly types?: string | undefined;
  readonly noHeaders?: boolean | undefined;
}

/**
 * Runs `rxlet events`: prints the events of all pods, the latest last; with `watch`, then each new one.
 * @throws AgentConnectionError when the agent does not answer
 */
export async function printEvents(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  { about, types, ...options }: EventsOptions,
): Promise<void> {
  const requirements = [
    ...(about === undefined ? [] : await requirementsOf(agent, terminal, about, options.namespace)),
    ...(types === undefined ? [] : [typeRequirement(types)]),
  ];
  await getResources(agent, terminal, clock, {
    ...options,
    targets: [{ kind: events, names: [] }],
    output: { kind: 'table' },
    ...(requirements.length > 0 && { fieldSelector: requirements.join(',') }),
  });
}

async function requirementsOf(
  agent: AgentConnection,
  terminal: Terminal,
  about: string,
  namespace = 'default',
): Promise<string[]> {
  const [target, ...more] = parseTargets(about.includes('/') ? [about] : ['pods', about]);
  const [name = ''] = target?.names ?? [];
  if (target === undefined || more.length > 0) throw new UsageError(`--for takes one object, not "${about}"`);
  if (target.kind.names[0] !== 'pods')
    return [`involvedObject.kind=${target.kind.kind}`, `involvedObject.name=${name}`];
  // The pod may be gone, and its events still be there.
  const pod = await findPod(agent, name, namespace, terminal.signal).catch(() => undefined);
  return ['involvedObject.kind=Pod', `involvedObject.name=${pod?.metadata?.name ?? name}`];
}

/** A field selector has no "one of": of the two types there are, one is chosen by what it is not. */
function typeRequirement(types: string): string {
  const chosen = types.split(',');
  const unknown = chosen.find((type) => type !== 'Normal' && type !== 'Warning');
  if (unknown !== undefined) throw new UsageError(`valid --types are Normal or Warning, not "${unknown}"`);
  return chosen.length > 1 ? 'type!=' : `type=${chosen[0]!}`;
}
