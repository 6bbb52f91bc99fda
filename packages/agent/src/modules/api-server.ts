import { type AgentModule, provide } from '@rxlet/agent-api';
import { kubeClients, type KubeClients } from '@rxlet/agent-api/kube';

/** Creates the agent module that connects the other modules with an API server. The clients, and their connections, belong to the caller. */
export function apiServer({ clients }: { readonly clients: KubeClients }): AgentModule {
  return { name: 'api-server', provides: [kubeClients], setup: () => ({ services: [provide(kubeClients, clients)] }) };
}
