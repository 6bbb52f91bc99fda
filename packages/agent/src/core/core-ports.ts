import { hostname } from 'node:os';
import type { CorePorts } from '@rxlet/agent-api';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { createEventLog, type EventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import type { JournalSink } from '@rxlet/agent-api/journal';
import type { AgentOptions, AgentPorts } from '../agent.ts';
import { createJournalRecorder, type JournalRecorder } from '../journal/journal-recorder.ts';

/** Completes the ports of an agent with their defaults. `journalSinks` fills while modules are set up. */
export function createCorePorts(
  given: AgentPorts,
  options: AgentOptions,
  journalSinks: readonly JournalSink[],
): CorePorts & { readonly events: EventLog; readonly journal: JournalRecorder } {
  const { node, clock = systemClock, random = systemRandom, logger = noopLogger, metrics = noopMetrics } = given;
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
    random,
    logger,
    metrics,
    events: createEventLog(clock),
    journal: createJournalRecorder({ clock, random, logger, sinks: journalSinks }),
    node: { name, rootDirectory, podLogsDirectory, ips: node.nodeIps ?? [] },
  };
}
