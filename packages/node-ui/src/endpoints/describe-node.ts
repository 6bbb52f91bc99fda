import type { AgentCore, HealthCheck } from '@rxlet/agent-api';
import type { NodeObject, NodeResources } from '@rxlet/agent-api/node';
import type { Pod } from '@rxlet/kube-api';
import { cpuMillis, formatQuantity, quantityNumber } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';
import type { NodeReport, NodeResourceRow } from './node-report.ts';

/** Parts of the agent that {@link describeNode} reads. */
export interface NodePorts {
  readonly core: Pick<AgentCore, 'activePods' | 'debugState'>;
  readonly node: { readonly name: string; readonly ips: readonly string[] };
  readonly resources: NodeResources | undefined;
  readonly nodeObject: NodeObject | undefined;
  readonly checks: readonly HealthCheck[];
}

/** Returns the state of the node, without panels. */
export function describeNode({ core, node, resources, nodeObject, checks }: NodePorts): Omit<NodeReport, 'panels'> {
  const pods = core.activePods();
  const capacity = resources?.capacity() ?? {};
  const allocatable = resources?.allocatable() ?? {};
  const { eviction } = core.debugState();
  return {
    name: node.name,
    addresses: node.ips,
    resources: Object.keys(capacity)
      .filter((name) => name !== 'pods')
      .map((name): NodeResourceRow => ({
        name,
        capacity: amountOf(name, capacity[name]),
        allocatable: amountOf(name, allocatable[name]),
        requested: requestedOf(name, pods),
      })),
    pods: { active: pods.length, ...(capacity['pods'] !== undefined && { max: quantityNumber(capacity['pods']) }) },
    conditions: (nodeObject?.cached().status?.conditions ?? []).map(
      ({ type, status, reason = '', message = '', lastTransitionTime: since }) => ({
        type,
        status,
        reason,
        message,
        ...(since !== undefined && { since }),
      }),
    ),
    checks: checks.map(({ name, check }) => {
      const problem = check();
      return { name, ...(problem !== undefined && { problem }) };
    }),
    ...(eviction !== undefined && { eviction }),
  };
}

function amountOf(name: string, quantity: string | undefined): number {
  return name === 'cpu' ? cpuMillis(quantity) : quantityNumber(quantity);
}

function requestedOf(name: string, pods: readonly Pod[]): number {
  return pods.reduce((sum, pod) => {
    const requested = podRequests(pod)[name];
    return requested === undefined ? sum : sum + amountOf(name, formatQuantity(requested));
  }, 0);
}
