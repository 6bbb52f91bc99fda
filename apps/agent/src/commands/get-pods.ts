import type { Clock } from '@rxlet/component-base';
import type { Pod, PodList } from '@rxlet/kube-api';
import { POD_COLUMNS, podRow, WIDE_COLUMNS, wideCells } from '../output/pod-row.ts';
import { createTable, formatTable } from '../output/table.ts';
import type { AgentConnection } from './agent-connection.ts';
import { selectPod } from './find-pod.ts';
import type { OutputFormat } from './output-formats.ts';
import type { Terminal } from './terminal.ts';
import { watchList } from './watch-list.ts';

/** Options of {@link getPods}. */
export interface GetPodsOptions {
  /** Only this pod. */
  readonly name?: string;
  /** Only pods of this namespace; with a name, where to look for it. */
  readonly namespace?: string;
  readonly output: OutputFormat;
  /** Print a line for each change until interrupted. */
  readonly watch: boolean;
}

/**
 * `rxlet get pods`
 * @throws AgentConnectionError when the agent does not answer, or there is no pod of that name
 */
export async function getPods(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  options: GetPodsOptions,
): Promise<void> {
  if (options.watch) await watchPods(agent, terminal, clock, options);
  else await listPods(agent, terminal, clock, options);
}

async function listPods(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  { output, name, namespace }: GetPodsOptions,
): Promise<void> {
  const list = (await agent.getJson('/pods', terminal.signal)) as PodList;
  const pods =
    name === undefined
      ? list.items.filter((pod) => isIn(pod, namespace)).toSorted(byName)
      : [selectPod(list.items, name, namespace ?? 'default')];
  const [only] = pods;
  if (output === 'json' || output === 'yaml') {
    const object = name === undefined ? { ...list, items: pods.map(asObject) } : asObject(only!);
    terminal.print(await formatObject(object, output));
  } else if (pods.length === 0) {
    terminal.printError(namespace === undefined ? 'No pods found.' : `No pods found in namespace ${namespace}.`);
  } else {
    terminal.print((output === 'name' ? pods.map(objectName) : formatPods(pods, output, clock.now())).join('\n'));
  }
}

async function watchPods(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  { output, name, namespace }: GetPodsOptions,
): Promise<void> {
  const table = createTable(columns(output));
  let matches = (pod: Pod): boolean => isIn(pod, namespace);
  let isFirst = true;
  for await (const changes of watchList<Pod>(agent, '/pods', terminal.signal)) {
    if (isFirst && name !== undefined) {
      // Matches by name, not by UID: a changed manifest keeps its name.
      const { metadata } = selectPod(
        changes.map(({ object }) => object),
        name,
        namespace ?? 'default',
      );
      matches = (pod) => pod.metadata?.name === metadata?.name && pod.metadata?.namespace === metadata?.namespace;
    }
    const matching = changes.filter(({ object }) => matches(object));
    const shown = isFirst ? matching.toSorted((left, right) => byName(left.object, right.object)) : matching;
    isFirst = false;
    if (shown.length === 0) continue;
    if (output === 'json' || output === 'yaml') {
      for (const { object } of shown) terminal.print(await formatObject(asObject(object), output, true));
    } else if (output === 'name') {
      terminal.print(shown.map(({ object }) => objectName(object)).join('\n'));
    } else {
      const rows = shown.map(({ type, object }) =>
        cells(type === 'DELETED' ? asDeleted(object) : object, output, clock.now()),
      );
      terminal.print(table.format(rows).join('\n'));
    }
  }
}

/** Returns the table of `get pods` and of the live view, header first. */
export function formatPods(pods: readonly Pod[], output: 'table' | 'wide', nowMs: number): string[] {
  return formatTable(
    columns(output),
    pods.map((pod) => cells(pod, output, nowMs)),
  );
}

/** Orders pods by namespace and name. */
export function byName(left: Pod, right: Pod): number {
  return (
    compare(left.metadata?.namespace ?? '', right.metadata?.namespace ?? '') ||
    compare(left.metadata?.name ?? '', right.metadata?.name ?? '')
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function isIn(pod: Pod, namespace: string | undefined): boolean {
  return namespace === undefined || pod.metadata?.namespace === namespace;
}

function columns(output: OutputFormat): readonly string[] {
  return output === 'wide' ? [...POD_COLUMNS, ...WIDE_COLUMNS] : POD_COLUMNS;
}

function cells(pod: Pod, output: 'table' | 'wide', nowMs: number): string[] {
  return output === 'wide' ? [...podRow(pod, nowMs), ...wideCells(pod)] : podRow(pod, nowMs);
}

function objectName(pod: Pod): string {
  return `pod/${pod.metadata?.name ?? ''}`;
}

/** Returns a pod with apiVersion and kind, which the items of a list lack. */
function asObject(pod: Pod): Pod {
  return { ...pod, apiVersion: 'v1', kind: 'Pod' };
}

async function formatObject(object: unknown, output: 'json' | 'yaml', isOneOfMany = false): Promise<string> {
  if (output === 'json') return JSON.stringify(object, null, 2);
  // Loaded on demand, so that other formats start faster.
  const { stringify } = await import('yaml');
  // YAML 1.1, which kubectl reads: there, the string "yes" needs quotes.
  const text = stringify(object, { sortMapEntries: true, lineWidth: 0, version: '1.1' }).trimEnd();
  return isOneOfMany ? `---\n${text}` : text;
}

function asDeleted({ metadata: { deletionTimestamp: _, ...metadata } = {}, ...pod }: Pod): Pod {
  return {
    ...pod,
    metadata,
    status: { ...(pod.status?.startTime !== undefined && { startTime: pod.status.startTime }), reason: 'Deleted' },
  };
}
