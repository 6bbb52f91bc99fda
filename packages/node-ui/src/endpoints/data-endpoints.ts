import type { AgentCore } from '@rxlet/agent-api';
import { EndpointError, type EndpointResponse, type HttpEndpoint } from '@rxlet/agent-api/http';
import type { Clock } from '@rxlet/component-base';
import { type PagePanel, readPanels } from '../panels.ts';
import { describeNode, type NodePorts } from './describe-node.ts';
import type { InsideReport, NodeReport } from './node-report.ts';

/** Ports of {@link dataEndpoints}. */
export interface DataPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly core: Pick<AgentCore, 'activePods' | 'debugState' | 'pods'>;
  /** Read when a request comes, because modules contribute until the agent starts. */
  nodePorts(): NodePorts;
  panels(): readonly PagePanel[];
}

/** Returns the endpoints that the page reads while it shows what is too large or too fast for its stream: one pod, the node, the agent's insides. */
export function dataEndpoints({ clock, core, nodePorts, panels }: DataPorts): readonly HttpEndpoint[] {
  return [
    {
      path: 'ui/pods',
      methods: ['GET'],
      minSegments: 2,
      maxSegments: 2,
      handle({ segments: [namespace, name] }) {
        const pod = core.pods
          .list()
          .find(({ metadata }) => metadata?.namespace === namespace && metadata?.name === name);
        if (pod === undefined) throw new EndpointError(404, `the node has no pod "${namespace!}/${name!}"`);
        return jsonAnswer(pod);
      },
    },
    {
      path: 'ui/node',
      methods: ['GET'],
      async handle() {
        const report: NodeReport = { ...describeNode(nodePorts()), panels: await readPanels(panels(), 'node') };
        return jsonAnswer(report);
      },
    },
    {
      path: 'ui/inside',
      methods: ['GET'],
      async handle() {
        const { pods, ...sections } = core.debugState();
        const report: InsideReport = {
          nowMs: clock.now(),
          sections,
          workers: countWorkers(pods),
          panels: await readPanels(panels(), 'inside'),
        };
        return jsonAnswer(report);
      },
    },
  ];
}

/** Counts the workers of the debug state by their state. */
function countWorkers(pods: unknown): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of Array.isArray(pods) ? (pods as { state?: { kind?: string } }[]) : []) {
    const kind = state?.kind ?? 'unknown';
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function jsonAnswer(body: unknown): EndpointResponse {
  return { contentType: 'application/json', headers: { 'cache-control': 'no-store' }, body: JSON.stringify(body) };
}
