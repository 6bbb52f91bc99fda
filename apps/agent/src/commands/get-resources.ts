import type { Clock } from '@rxlet/component-base';
import { customCell } from '../output/custom-columns.ts';
import { printedValue } from '../output/json-path.ts';
import { sortObjects } from '../output/sort-objects.ts';
import { type Cell, createTable, type Table } from '../output/table.ts';
import { UsageError } from '../config/config-error.ts';
import type { Target } from '../resources/kinds.ts';
import { type AgentObject, asObject, byName, type ResourceKind } from '../resources/resource-kind.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import type { OutputFormat } from './output-format.ts';
import { type Selection, selectionTest } from './select-objects.ts';
import type { Terminal } from './terminal.ts';
import { type ObjectChange, watchList } from './watch-list.ts';

/** Options of {@link getResources}. */
export interface GetOptions extends Selection {
  readonly targets: readonly Target[];
  readonly output: OutputFormat;
  /** Print a line for each change until interrupted. */
  readonly watch: boolean;
  /** With `watch`: without the objects that there are. */
  readonly watchOnly?: boolean | undefined;
  /** Path of the field to sort by. Default: by namespace and name; events by time. */
  readonly sortBy?: string | undefined;
  readonly showLabels?: boolean | undefined;
  /** Labels with a column of their own. */
  readonly labelColumns?: readonly string[] | undefined;
  readonly noHeaders?: boolean | undefined;
  /** Whether a name that does not exist is no error. */
  readonly ignoreNotFound?: boolean | undefined;
}

/**
 * `rxlet get`
 * @throws AgentConnectionError when the agent does not answer, or there is no object of a name
 * @throws UsageError for options that do not fit each other
 */
export async function getResources(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  options: GetOptions,
): Promise<void> {
  const [first, ...more] = options.targets;
  if (first === undefined) throw new UsageError('you must specify the type of resource to get: rxlet get pods');
  const isSelective = Boolean(options.selector) || Boolean(options.fieldSelector);
  if (isSelective && options.targets.some(({ names }) => names.length > 0))
    throw new UsageError('name cannot be provided when a selector is specified');
  if (!options.watch) {
    await list(agent, terminal, clock, options);
    return;
  }
  if (more.length > 0 || first.names.length > 1)
    throw new UsageError('you may only specify a single resource type, and one name, with --watch');
  if (!first.kind.isWatchable) throw new UsageError(`${first.kind.names[0]} cannot be watched`);
  await watch(agent, terminal, clock, first, options);
}

/** Objects of one kind that were asked for. */
interface Found {
  readonly kind: ResourceKind;
  readonly objects: readonly AgentObject[];
}

async function list(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  options: GetOptions,
): Promise<void> {
  const missing: string[] = [];
  const found: Found[] = [];
  for (const target of options.targets) found.push(await find(agent, terminal, target, options, missing));
  const isSingle = options.targets.length === 1 && options.targets[0]?.names.length === 1;
  await printFound(terminal, clock, found, options, isSingle && missing.length === 0);
  if (missing.length > 0 && options.ignoreNotFound !== true) throw new AgentConnectionError(missing.join('\n'));
}

async function find(
  agent: AgentConnection,
  { signal }: Terminal,
  { kind, names }: Target,
  options: GetOptions,
  missing: string[],
): Promise<Found> {
  const all = await objectsOf(agent, kind, signal);
  if (names.length > 0) {
    const objects = names.flatMap((name) => {
      try {
        return [kind.select(all, name, options.namespace ?? 'default')];
      } catch (error) {
        if (!(error instanceof AgentConnectionError)) throw error;
        missing.push(error.message);
        return [];
      }
    });
    return { kind, objects };
  }
  const selected = all.filter(selectionTest(kind, options));
  if (options.sortBy !== undefined) return { kind, objects: sortObjects(selected, options.sortBy) };
  // Events are in the order in which they happened.
  return { kind, objects: kind.names[0] === 'events' ? selected : selected.toSorted(byName) };
}

/** Returns all objects of a kind. @throws AgentConnectionError when the agent does not answer, or does not have that kind */
export async function objectsOf<T extends AgentObject>(
  agent: AgentConnection,
  kind: ResourceKind<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  try {
    return kind.objectsOf(await agent.getJson(kind.path, signal));
  } catch (error) {
    if (kind.names[0] !== 'manifests' || !(error instanceof AgentConnectionError) || error.status !== 404) throw error;
    throw new AgentConnectionError(
      'the agent has no folder of manifests: it was started without --pod-manifest-path and staticPodPath',
    );
  }
}

async function printFound(
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  found: readonly Found[],
  options: GetOptions,
  isSingle: boolean,
): Promise<void> {
  const { output } = options;
  const objects = found.flatMap(({ kind, objects: ofKind }) => ofKind.map((object) => asObject(kind, object)));
  if (output.kind === 'json' || output.kind === 'yaml' || output.kind.startsWith('jsonpath')) {
    const [only] = objects;
    const [{ kind }] = found as [Found];
    const listKind = found.length === 1 ? `${kind.kind}List` : 'List';
    const apiVersion = found.length === 1 ? kind.apiVersion : 'v1';
    const whole = isSingle ? only : { kind: listKind, apiVersion, metadata: {}, items: objects };
    const text = await formatObject(whole, output);
    if (output.kind === 'jsonpath') await terminal.write(Buffer.from(text));
    else terminal.print(text);
  } else if (objects.length === 0) {
    if (options.targets.some(({ names }) => names.length > 0)) return;
    const names = found.map(({ kind }) => kind.names[0]).join(' or ');
    const place = options.namespace === undefined ? '' : ` in namespace ${options.namespace}`;
    terminal.printError(`No ${names} found${place}.`);
  } else if (output.kind === 'name') {
    terminal.print(objects.map(objectName).join('\n'));
  } else {
    const shown = found.filter(({ objects: ofKind }) => ofKind.length > 0);
    const tables = shown.map(({ kind, objects: ofKind }) =>
      tableOf(kind, options, terminal)
        .add(
          ofKind.map((object) => asObject(kind, object)),
          clock.now(),
        )
        .join('\n'),
    );
    terminal.print(tables.join('\n\n'));
  }
}

async function watch(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  { kind, names: [name] }: Target,
  options: GetOptions,
): Promise<void> {
  const { output } = options;
  const table = tableOf(kind, options, terminal);
  let matches = selectionTest(kind, name === undefined ? options : {});
  let isFirst = true;
  for await (const changes of watchList<AgentObject>(agent, kind.path, terminal.signal)) {
    if (isFirst && name !== undefined) {
      // Matches by name, not by UID: a changed manifest keeps its name.
      const existing = changes.map(({ object }) => object);
      const { metadata } = kind.select(existing, name, options.namespace ?? 'default');
      matches = (object) =>
        object.metadata?.name === metadata?.name && object.metadata?.namespace === metadata?.namespace;
    }
    const matching = changes.filter(({ object }) => matches(object));
    const isSkipped = isFirst && options.watchOnly === true;
    const shown = isFirst && kind.names[0] !== 'events' ? matching.toSorted(byChangedName) : matching;
    isFirst = false;
    if (shown.length === 0 || isSkipped) continue;
    const objects = shown.map(({ object }) => asObject(kind, object));
    if (output.kind === 'name') terminal.print(objects.map(objectName).join('\n'));
    else if (output.kind === 'table' || output.kind === 'wide' || output.kind === 'custom-columns') {
      const rows = shown.map(({ type, object }) =>
        type === 'DELETED' ? (kind.asDeleted?.(object) ?? object) : object,
      );
      terminal.print(table.add(rows, clock.now()).join('\n'));
    } else {
      for (const object of objects) {
        const text = await formatObject(object, output);
        terminal.print(output.kind === 'yaml' ? `---\n${text}` : text);
      }
    }
  }
}

function byChangedName(left: ObjectChange<AgentObject>, right: ObjectChange<AgentObject>): number {
  return byName(left.object, right.object);
}

/** A table of objects that is written piece by piece. */
interface ObjectTable {
  add(objects: readonly AgentObject[], nowMs: number): string[];
}

function tableOf(kind: ResourceKind, options: GetOptions, { colors }: Terminal): ObjectTable {
  const { output, showLabels = false, labelColumns = [], noHeaders } = options;
  const create = (titles: readonly string[]): Table => createTable(titles, { noHeaders, colors });
  if (output.kind === 'custom-columns') {
    const table = create(output.columns.map(({ title }) => title));
    return {
      add: (objects) =>
        table.format(objects.map((object) => output.columns.map((column) => customCell(column, object)))),
    };
  }
  const names = options.targets.find((target) => target.kind === kind)?.names ?? [];
  const isOneNamespace = options.namespace !== undefined || names.length > 0;
  const columns = kind.columns.filter(
    ({ title, isWide }) => (isWide !== true || output.kind === 'wide') && !(title === 'NAMESPACE' && isOneNamespace),
  );
  const labelTitles = labelColumns.map((key) => key.slice(key.lastIndexOf('/') + 1).toUpperCase());
  const table = create([...columns.map(({ title }) => title), ...labelTitles, ...(showLabels ? ['LABELS'] : [])]);
  const rowOf = (object: AgentObject, nowMs: number): Cell[] => [
    ...columns.map((column) => column.cell(object, nowMs)),
    ...labelColumns.map((key) => object.metadata?.labels?.[key] ?? ''),
    ...(showLabels ? [labelsOf(object)] : []),
  ];
  return { add: (objects, nowMs) => table.format(objects.map((object) => rowOf(object, nowMs))) };
}

function labelsOf({ metadata }: AgentObject): string {
  const labels = Object.entries(metadata?.labels ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return labels.map(([key, value]) => `${key}=${value}`).join(',') || '<none>';
}

function objectName({ apiVersion = '', kind = '', metadata }: AgentObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${metadata?.name ?? ''}`;
}

async function formatObject(object: unknown, output: OutputFormat): Promise<string> {
  if (output.kind === 'jsonpath') return output.template.format(object);
  if (output.kind === 'jsonpath-as-json')
    return JSON.stringify(
      output.template.find(object).map((value) => JSON.parse(jsonOf(value)) as unknown),
      null,
      4,
    );
  if (output.kind === 'json') return JSON.stringify(object, null, 2);
  // Loaded on demand, so that other formats start faster.
  const { stringify } = await import('yaml');
  // YAML 1.1, which kubectl reads: there, the string "yes" needs quotes.
  return stringify(object, { sortMapEntries: true, lineWidth: 0, version: '1.1' }).trimEnd();
}

function jsonOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : printedValue(value);
}
