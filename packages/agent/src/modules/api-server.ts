import { type AgentModule, provide } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import type { KubeClients } from '@rxlet/kube-api/client';

/** Creates the agent module that connects the other modules with an API server. The clients, and their connections, belong to the caller. */
export function apiServer({ clients }: { readonly clients: KubeClients }): AgentModule {
  return { name: 'api-server', provides: [kubeClients], setup: () => ({ services: [provide(kubeClients, clients)] }) };
}
