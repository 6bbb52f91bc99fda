export { createKubeClient, type KubeClientOptions, type KubeClientPorts } from './create-kube-client.ts';
export { createKubeClients, type KubeClientsOptions } from './create-kube-clients.ts';
export type { RunPlugin } from './credentials/run-plugin.ts';
export type { CredentialSource, ExecPlugin, Impersonation, KubeEndpoint } from './kubeconfig/kube-endpoint.ts';
export { KubeconfigError } from './kubeconfig/kubeconfig-error.ts';
export { inClusterEndpoint, loadKubeconfig } from './kubeconfig/load-kubeconfig.ts';
export {
  loadNodeKubeconfig,
  type NodeKubeconfig,
  type NodeKubeconfigOptions,
  type NodeKubeconfigPorts,
} from './kubeconfig/load-node-kubeconfig.ts';
export { parseKubeconfig } from './kubeconfig/parse-kubeconfig.ts';
export type { KubeTransport, TransportRequest, TransportResponse } from './transport/kube-transport.ts';
export {
  createUndiciTransport,
  type UndiciTransport,
  type UndiciTransportPorts,
} from './transport/undici-transport.ts';
export { userAgent, type UserAgentParts } from './user-agent.ts';
