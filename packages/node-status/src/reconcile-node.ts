import type { Mutable, Node } from '@rxlet/kube-api';
import { compareQuantities, parseQuantity } from '@rxlet/pod-model/quantity';
import { CONTROLLER_ATTACH_DETACH } from './initial-node.ts';
import { isExtendedResource, isHugePageResource } from './resource-names.ts';

/** Labels that an existing node takes over from a registration. All others belong to the administrator. */
const REGISTERED_LABELS = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/windows-build',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];

/** Options of {@link reconcileNode}. */
export interface ReconcileNodeOptions {
  /** Whether the node's devices are unknown, because their checkpoint is gone. Extended resources are 0 until devices register again. Default false. */
  readonly resetExtendedResources?: boolean;
}

/**
 * Returns an existing Node object with what a registration changes: default labels, the annotation of the attach-detach controller, and huge pages. Everything else
 * of the node, such as other labels and taints, stays. Returns `existing` itself when nothing changes.
 */
export function reconcileNode(initial: Node, existing: Node, options: ReconcileNodeOptions = {}): Node {
  const node = structuredClone(existing) as Mutable<Node>;
  const changes = [
    reconcileAnnotation(initial, node),
    reconcileLabels(initial, node),
    reconcileResources(initial, node),
    options.resetExtendedResources === true && resetExtendedResources(node),
    reconcileHugePages(initial, node),
  ];
  return changes.some(Boolean) ? node : existing;
}

function reconcileAnnotation(initial: Node, node: Mutable<Node>): boolean {
  const wanted = initial.metadata?.annotations?.[CONTROLLER_ATTACH_DETACH];
  const metadata = (node.metadata ??= {});
  if ((wanted ?? '') === (metadata.annotations?.[CONTROLLER_ATTACH_DETACH] ?? '')) return false;
  if (wanted === undefined) delete metadata.annotations?.[CONTROLLER_ATTACH_DETACH];
  else metadata.annotations = { ...metadata.annotations, [CONTROLLER_ATTACH_DETACH]: wanted };
  return true;
}

function reconcileLabels(initial: Node, node: Mutable<Node>): boolean {
  const labels = ((node.metadata ??= {}).labels ??= {});
  let isChanged = false;
  for (const label of REGISTERED_LABELS) {
    const wanted = initial.metadata?.labels?.[label];
    if (wanted === undefined) continue;
    if ((labels[label] ?? '') !== wanted) {
      labels[label] = wanted;
      isChanged = true;
    }
    if (wanted === '') delete labels[label];
  }
  return isChanged;
}

/** Fills in resources that the node lacks altogether. */
function reconcileResources(initial: Node, node: Mutable<Node>): boolean {
  const status = (node.status ??= {});
  const { capacity, allocatable } = initial.status ?? {};
  const isIncomplete =
    (status.capacity === undefined && capacity !== undefined) ||
    (status.allocatable === undefined && allocatable !== undefined);
  status.capacity ??= { ...capacity };
  status.allocatable ??= { ...allocatable };
  return isIncomplete;
}

function resetExtendedResources({ status }: Mutable<Node>): boolean {
  const names = Object.keys(status?.capacity ?? {}).filter(isExtendedResource);
  for (const name of names) {
    status!.capacity![name] = '0';
    (status!.allocatable ??= {})[name] = '0';
  }
  return names.length > 0;
}

function reconcileHugePages(initial: Node, { status }: Mutable<Node>): boolean {
  const { capacity = {}, allocatable = {} } = initial.status ?? {};
  const current = { capacity: (status!.capacity ??= {}), allocatable: (status!.allocatable ??= {}) };
  let isChanged = false;
  for (const name of Object.keys(capacity).filter(isHugePageResource)) {
    const isKnown = current.capacity[name] !== undefined;
    if (!isKnown || !isEqual(current.capacity[name], capacity[name])) {
      current.capacity[name] = capacity[name]!;
      isChanged = true;
    }
    if (!isKnown || !isEqual(current.allocatable[name], allocatable[name])) {
      current.allocatable[name] = allocatable[name] ?? '0';
      isChanged = true;
    }
  }
  for (const name of Object.keys(current.capacity).filter(isHugePageResource)) {
    if (capacity[name] !== undefined) continue;
    delete current.capacity[name];
    delete current.allocatable[name];
    isChanged = true;
  }
  return isChanged;
}

function isEqual(left: string | number | undefined, right: string | number | undefined): boolean {
  return compareQuantities(parseQuantity(left ?? '0'), parseQuantity(right ?? '0')) === 0;
}
