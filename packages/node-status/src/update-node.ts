import type { Node } from '@rxlet/kube-api';
import { nodeStatusHasChanged } from './node-status-changes.ts';
import type { NodeStatusInputs } from './node-status-inputs.ts';
import { type ComputedNode, setNodeStatus } from './set-node-status.ts';

/** A Node object with its current status. */
export interface UpdatedNode extends ComputedNode {
  /** Whether it must be sent: something differs besides heartbeat times. */
  readonly changed: boolean;
  /** Ranges of the node's pod IPs, joined by commas; empty when the cluster has assigned none. */
  readonly podCidr: string;
}

/** Options of {@link updateNode}. */
export interface UpdateNodeOptions {
  /** Ranges of pod IPs that the runtime has got. */
  readonly knownPodCidr: string;
}

/** Computes the periodic status update of a Node object: its status, and the labels of operating system and architecture (kubelet: updateNode). */
export function updateNode(before: Node, inputs: NodeStatusInputs, { knownPodCidr }: UpdateNodeOptions): UpdatedNode {
  const { operatingSystem, architecture } = inputs.settings;
  const { labels } = before.metadata ?? {};
  const required = { 'kubernetes.io/os': operatingSystem, 'kubernetes.io/arch': architecture };
  const isLabelled = Object.entries(required).every(([label, value]) => labels?.[label] === value);
  const labelled = isLabelled
    ? before
    : { ...before, metadata: { ...before.metadata, labels: { ...labels, ...required } } };
  const computed = setNodeStatus(labelled, inputs);
  const podCidr = (before.spec?.podCIDRs ?? []).join(',');
  const isCidrNew = podCidr !== '' && podCidr !== knownPodCidr;
  const changed = isCidrNew || !isLabelled || nodeStatusHasChanged(before.status, computed.node.status);
  return { ...computed, changed, podCidr };
}

/** Times of status reports. */
export interface ReportSchedule {
  /** Time of the last report; `undefined` before the first. */
  readonly lastReportMs: number | undefined;
  /** Random delay of the next report, so that nodes do not report at the same time. */
  readonly delayMs: number;
  readonly periodMs: number;
}

/** Reports whether a status must be sent although nothing has changed. */
export function isReportDue({ lastReportMs, delayMs, periodMs }: ReportSchedule, nowMs: number): boolean {
  return lastReportMs === undefined || nowMs - lastReportMs >= periodMs + delayMs;
}
