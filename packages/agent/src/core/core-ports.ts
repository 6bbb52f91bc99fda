import { hostname } from 'node:os';
import type { CorePorts } from '@rxlet/agent-api';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { createEventLog, type EventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import type { AgentOptions, AgentPorts } from '../agent.ts';

/** Completes the ports of an agent with their defaults. */
export function createCorePorts(given: AgentPorts, options: AgentOptions): CorePorts & { readonly events: EventLog } {
  const { node, clock = systemClock, metrics = noopMetrics } = given;
  const { rootDirectory, podLogsDirectory } = node;
  const name = node.name ?? hostname().toLowerCase();
  metrics
    .gauge({ name: 'kubelet_node_name', help: "[ALPHA] The node's name. The count is always 1.", labelNames: ['node'] })
    .set(1, { node: name });
  const { containerLogsDirectory } = options;
  const roots = [
    rootDirectory,
    podLogsDirectory,
    ...(containerLogsDirectory === undefined ? [] : [containerLogsDirectory]),
  ];
  return {
    runtime: given.runtime,
    images: given.images,
    files: given.files ?? createNodeFiles({ roots }),
    hostFiles: given.hostFiles ?? createHostFiles(),
    clock,
    random: given.random ?? systemRandom,
    logger: given.logger ?? noopLogger,
    metrics,
    events: createEventLog(clock),
    node: { name, rootDirectory, podLogsDirectory, ips: node.nodeIps ?? [] },
  };
}
