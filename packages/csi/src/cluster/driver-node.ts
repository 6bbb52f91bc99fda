import type { RegisteredCsiDriver } from '../csi-drivers.ts';
import type { Node } from '@rxlet/kube-api';

/** Annotation with the ids of the node in the storage systems of its drivers, a JSON object by the name of the driver. */
const NODE_IDS = 'csi.volume.kubernetes.io/nodeid';

/**
 * Returns the Node object with a driver's id of the node and the labels of its topology.
 *
 * @throws Error for a label that has another value, and for an annotation that is no JSON object
 */
export function nodeWithDriver(node: Node, { name, nodeId, topology }: RegisteredCsiDriver): Node {
  const { labels = {} } = node.metadata ?? {};
  for (const [key, value] of Object.entries(topology)) {
    const existing = labels[key];
    if (existing !== undefined && existing !== value)
      throw new Error(
        `detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${existing}"`,
      );
  }
  const isSame = Object.keys(topology).every((key) => labels[key] !== undefined);
  const labelled = isSame ? node : { ...node, metadata: { ...node.metadata, labels: { ...labels, ...topology } } };
  const ids = nodeIds(node);
  return ids[name] === nodeId ? labelled : withNodeIds(labelled, { ...ids, [name]: nodeId });
}

/** Returns the Node object without a driver's id. Labels of topologies stay: volumes may need them. @throws Error for an annotation that is no JSON object */
export function nodeWithoutDriver(node: Node, driverName: string): Node {
  const { [driverName]: removed, ...ids } = nodeIds(node);
  return removed === undefined ? node : withNodeIds(node, ids);
}

function nodeIds({ metadata }: Node): Readonly<Record<string, string>> {
  const text = metadata?.annotations?.[NODE_IDS] ?? '';
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
}

function withNodeIds(node: Node, ids: Readonly<Record<string, string>>): Node {
  const { [NODE_IDS]: _, ...others } = node.metadata?.annotations ?? {};
  const annotations = Object.keys(ids).length === 0 ? others : { ...others, [NODE_IDS]: JSON.stringify(ids) };
  return { ...node, metadata: { ...node.metadata, annotations } };
}
