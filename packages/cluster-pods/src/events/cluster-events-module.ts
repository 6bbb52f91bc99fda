import { type AgentModule, contribute, debugSections } from '@rxlet/agent-api';
import { eventSinks } from '@rxlet/agent-api/events';
import { kubeClients } from '@rxlet/agent-api/kube';
import { createApiEventSink } from './api-event-sink.ts';

/** Options of {@link clusterEvents}. */
export interface ClusterEventsOptions {
  /** Name of the reporting program. Default `kubelet`, as controllers and people expect. */
  readonly component?: string | undefined;
}

/** Creates the agent module that writes events to the API server. The agent has combined, counted and limited them before. */
export function clusterEvents({ component = 'kubelet' }: ClusterEventsOptions = {}): AgentModule {
  return {
    name: 'cluster-events',
    needs: [kubeClients],
    setup({ services, node, clock, random, logger }) {
      const client = services.get(kubeClients).events;
      const sink = createApiEventSink({ client, clock, random, logger }, { component, nodeName: node.name });
      return {
        contributions: [
          contribute(eventSinks, sink.write),
          contribute(debugSections, { name: 'apiEvents', inspect: () => ({ backlog: sink.backlog }) }),
        ],
        [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
      };
    },
  };
}
