import type { ConditionalPodField, SupportedPodField } from '@rxlet/agent-api/pod-fields';
import type { Pod } from '@rxlet/kube-api';

/** Returns the paths of unsupported fields of a pod's spec, such as `spec.containers[0].livenessProbe`. */
export type UnsupportedPodFields = (pod: Pod) => readonly string[];

/** A field in the tree of supported fields. */
interface FieldNode {
  isSupported: boolean;
  readonly conditions: ConditionalPodField['accepts'][];
  /** By name; `[*]` for the elements of a list, `*` for the keys of a map. */
  readonly children: Map<string, FieldNode>;
}

/** Compiles the union of what modules support. */
export function createUnsupportedPodFields(supported: readonly SupportedPodField[]): UnsupportedPodFields {
  const root = newNode();
  for (const field of supported) {
    const { path, accepts } = typeof field === 'string' ? { path: field, accepts: undefined } : field;
    let node = root;
    for (const segment of path.replaceAll('[*]', '.[*]').split('.')) {
      let child = node.children.get(segment);
      if (child === undefined) node.children.set(segment, (child = newNode()));
      node = child;
    }
    if (accepts === undefined) node.isSupported = true;
    else node.conditions.push(accepts);
  }
  return (pod) => [...unsupportedBelow(root, { spec: pod.spec }, '', pod)];
}

function newNode(): FieldNode {
  return { isSupported: false, conditions: [], children: new Map() };
}

function* unsupportedBelow(node: FieldNode, value: object, path: string, pod: Pod): Generator<string> {
  for (const [key, below] of Object.entries(value)) {
    if (isUnset(below)) continue;
    const belowPath = Array.isArray(value) ? `${path}[${key}]` : fieldPath(path, key);
    const child = node.children.get(Array.isArray(value) ? '[*]' : key) ?? node.children.get('*');
    if (child === undefined) yield belowPath;
    else if (child.isSupported || child.conditions.some((accepts) => accepts(below, key, pod))) continue;
    else if (child.children.size === 0 || typeof below !== 'object') yield belowPath;
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
