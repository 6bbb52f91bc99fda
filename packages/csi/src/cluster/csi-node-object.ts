import type { RegisteredCsiDriver } from '../csi-drivers.ts';
import type { CSINode, CSINodeDriver, Node } from '@rxlet/kube-api';
import { inTreeKinds } from '../in-tree/in-tree-kinds.ts';

const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';
/** In-tree volume plugins whose volumes CSI drivers serve, as the scheduler and the attach-detach controller must know. */
const migratedPlugins = Object.values(inTreeKinds)
  .map(({ plugin }) => plugin)
  .toSorted()
  .join(',');
const MAX_COUNT = 2 ** 31 - 1;

/** Returns the CSINode object of a node without drivers. The node owns it. */
export function newCsiNode({ metadata }: Node): CSINode {
  const name = metadata?.name ?? '';
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: {
      name,
      annotations: { [MIGRATED_PLUGINS]: migratedPlugins },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: metadata?.uid ?? '' }],
    },
    spec: { drivers: [] },
  };
}

/** Reports whether a CSINode belongs to this Node object, not to an earlier one of its name. */
export function isOwnedBy({ metadata }: CSINode, node: Node): boolean {
  return (metadata?.ownerReferences ?? []).some(({ kind, uid }) => kind === 'Node' && uid === node.metadata?.uid);
}

/** Returns the CSINode with the migrated plugins; itself when it has them already. */
export function withMigratedPlugins(csiNode: CSINode): CSINode {
  const { annotations } = csiNode.metadata ?? {};
  const present = (annotations?.[MIGRATED_PLUGINS] ?? '').split(',').toSorted().join(',');
  if (present === migratedPlugins) return csiNode;
  const metadata = { ...csiNode.metadata, annotations: { ...annotations, [MIGRATED_PLUGINS]: migratedPlugins } };
  return { ...csiNode, metadata };
}

/** Returns the CSINode with a driver, in place of an earlier registration; itself when it has the driver already. */
export function withDriver(csiNode: CSINode, driver: RegisteredCsiDriver): CSINode {
  const wanted = toCsiNodeDriver(driver);
  const { drivers } = csiNode.spec;
  const present = drivers.find(({ name }) => name === driver.name);
  const isSame = present !== undefined && isSameDriver(present, wanted);
  const migrated = withMigratedPlugins(csiNode);
  if (isSame) return migrated;
  return { ...migrated, spec: { drivers: [...drivers.filter(({ name }) => name !== driver.name), wanted] } };
}

/** Returns the CSINode without a driver; itself when it does not have it. */
export function withoutDriver(csiNode: CSINode, driverName: string): CSINode {
  const drivers = csiNode.spec.drivers.filter(({ name }) => name !== driverName);
  return drivers.length === csiNode.spec.drivers.length ? csiNode : { ...csiNode, spec: { drivers } };
}

function toCsiNodeDriver({ name, nodeId, maxVolumes, topology }: RegisteredCsiDriver): CSINodeDriver {
  return {
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(topology).sort(),
    ...(maxVolumes !== undefined && maxVolumes > 0 && { allocatable: { count: Math.min(maxVolumes, MAX_COUNT) } }),
  };
}

function isSameDriver(left: CSINodeDriver, right: CSINodeDriver): boolean {
  return (
    left.nodeID === right.nodeID &&
    left.allocatable?.count === right.allocatable?.count &&
    (left.topologyKeys ?? []).toSorted().join() === (right.topologyKeys ?? []).join()
  );
}
