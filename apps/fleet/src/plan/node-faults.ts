import { InputFileError } from './input-file-error.ts';

/** Kinds of faults of a node. */
export const NODE_FAULT_TYPES = ['NotReady', 'AgentStop', 'RuntimeHang', 'DiskPressure', 'Drain', 'Reboot'] as const;
/** Kind of a fault of a node. */
export type NodeFaultType = (typeof NODE_FAULT_TYPES)[number];

/** A fault that a node has once, or again and again. */
export interface NodeFault {
  readonly type: NodeFaultType;
  /** Time from the node's readiness to the fault. */
  readonly afterMs: number;
  readonly durationMs: number;
  /** Time from one occurrence to the next. Default: it occurs once. */
  readonly periodMs?: number | undefined;
}

/** A fault of several nodes, as a file states it. */
export interface NodeFaultRule extends NodeFault {
  /** Names of nodes, in which `*` stands for any text. Default: all nodes. */
  readonly nodes?: readonly string[] | undefined;
  /** Time by which each node is later than the one before it. */
  readonly staggerMs: number;
}

const FIELDS: readonly string[] = [
  'type',
  'nodes',
  'afterSeconds',
  'durationSeconds',
  'everySeconds',
  'staggerSeconds',
];

/** Parses the field `nodeFaults` of the file at `path`. @throws InputFileError that names the field */
export function parseNodeFaults(path: string, value: unknown): readonly NodeFaultRule[] {
  if (!Array.isArray(value)) throw new InputFileError(`${path}: nodeFaults: must be a list`);
  return value.map((entry: unknown, index) => parseFault(`${path}: nodeFaults[${String(index)}]`, entry));
}

function parseFault(where: string, value: unknown): NodeFaultRule {
  const fail = (problem: string): never => {
    throw new InputFileError(`${where}${problem}`);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(': must be an object');
  const fields = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return fail(`: unknown field "${unknown}": there are ${FIELDS.join(', ')}`);
  const milliseconds = (name: string, least: number): number | undefined => {
    const seconds = fields[name];
    if (seconds === undefined) return undefined;
    if (typeof seconds === 'number' && seconds >= least && seconds <= MAX_SECONDS) return seconds * 1000;
    return fail(`.${name}: must be a number of seconds, at least ${String(least)}`);
  };
  const type = NODE_FAULT_TYPES.find((name) => name === fields['type']);
  if (type === undefined) return fail(`.type: must be one of ${NODE_FAULT_TYPES.join(', ')}`);
  const { nodes } = fields;
  if (nodes !== undefined && !(Array.isArray(nodes) && nodes.every((name) => typeof name === 'string')))
    return fail('.nodes: must be a list of names');
  const durationMs = milliseconds('durationSeconds', 1) ?? fail('.durationSeconds: is required');
  return {
    type,
    nodes,
    afterMs: milliseconds('afterSeconds', 0) ?? 0,
    durationMs,
    periodMs: milliseconds('everySeconds', durationMs / 1000),
    staggerMs: milliseconds('staggerSeconds', 0) ?? 0,
  };
}

/** A timer cannot be longer. */
const MAX_SECONDS = 2_000_000;

/** Returns the faults of each node, in the order of `names`, which are those of all nodes of the fleet. */
export function faultsOfNodes(
  rules: readonly NodeFaultRule[],
  names: readonly string[],
): readonly (readonly NodeFault[])[] {
  const faults = names.map((): NodeFault[] => []);
  for (const { nodes, staggerMs, type, afterMs, durationMs, periodMs } of rules) {
    let matches = 0;
    names.forEach((name, index) => {
      if (nodes?.some((pattern) => matchesName(pattern, name)) === false) return;
      faults[index]!.push({ type, afterMs: afterMs + staggerMs * matches, durationMs, periodMs });
      matches += 1;
    });
  }
  return faults;
}

function matchesName(pattern: string, name: string): boolean {
  const [start = '', ...others] = pattern.split('*');
  if (others.length === 0) return name === pattern;
  if (!name.startsWith(start)) return false;
  const end = others.pop()!;
  let position = start.length;
  for (const part of others) {
    const found = name.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return name.length - end.length >= position && name.endsWith(end);
}
