import type { ConditionalPodField, SupportedPodField } from '@rxlet/agent-api/pod-fields';
import type { Pod } from '@rxlet/kube-api';

/** Returns the paths of unsupported fields of a pod's spec, such as `spec.containers[0].livenessProbe`. */
export type UnsupportedPodFields = (pod: Pod) => readonly string[];

/** A field in the tree of supported fields. An agent has hundreds of fields, most of which have neither conditions nor children: those share one node. */
interface FieldNode {
  readonly isSupported: boolean;
  readonly conditions?: readonly ConditionalPodField['accepts'][];
  /** By name; `[*]` for the elements of a list, `*` for the keys of a map. */
  readonly children?: Map<string, FieldNode>;
}

const UNSUPPORTED: FieldNode = { isSupported: false };
const SUPPORTED: FieldNode = { isSupported: true };

/** Compiles the union of what modules support. */
export function createUnsupportedPodFields(supported: readonly SupportedPodField[]): UnsupportedPodFields {
  const root = supported.reduce((node, field) => {
    const { path, accepts } = typeof field === 'string' ? { path: field, accepts: undefined } : field;
    return withField(node, path.replaceAll('[*]', '.[*]').split('.'), accepts);
  }, UNSUPPORTED);
  return (pod) => [...unsupportedBelow(root, { spec: pod.spec }, '', pod)];
}

/** Adds a field to a tree, in place where the tree is not shared. */
function withField(
  node: FieldNode,
  [segment, ...rest]: readonly string[],
  accepts: ConditionalPodField['accepts'] | undefined,
): FieldNode {
  if (segment === undefined) {
    if (accepts !== undefined) return { ...node, conditions: [...(node.conditions ?? []), accepts] };
    return node.children === undefined && node.conditions === undefined ? SUPPORTED : { ...node, isSupported: true };
  }
  const { children = new Map<string, FieldNode>() } = node;
  children.set(segment, withField(children.get(segment) ?? UNSUPPORTED, rest, accepts));
  return node.children === undefined ? { ...node, children } : node;
}

function* unsupportedBelow(node: FieldNode, value: object, path: string, pod: Pod): Generator<string> {
  for (const [key, below] of Object.entries(value)) {
    if (isUnset(below)) continue;
    const belowPath = Array.isArray(value) ? `${path}[${key}]` : fieldPath(path, key);
    const child = node.children?.get(Array.isArray(value) ? '[*]' : key) ?? node.children?.get('*');
    if (child === undefined) yield belowPath;
    else if (child.isSupported || child.conditions?.some((accepts) => accepts(below, key, pod)) === true) continue;
    else if (child.children === undefined || typeof below !== 'object') yield belowPath;
    else yield* unsupportedBelow(child, below as object, belowPath, pod);
  }
}

/** As in the API, null and empty text and lists are the same as no value; an empty object may mean something, as in `emptyDir: {}`. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function fieldPath(path: string, key: string): string {
  if (!/^\w+$/.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
