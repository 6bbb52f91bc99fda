import type { AgentModule } from '@rxlet/agent-api';
import type { ModuleConfiguration, NodeConfiguration } from '@rxlet/agent-api/configuration';
import { clusterEvents } from './events/cluster-events-module.ts';
import { clusterObjects } from './objects/cluster-objects-module.ts';
import { clusterVolumes } from './objects/cluster-volumes-module.ts';
import { clusterCertificates } from './pod-certificates/cluster-certificates-module.ts';
import { clusterPods } from './pods/cluster-pods-module.ts';
import { clusterTokens } from './tokens/cluster-tokens-module.ts';
import { clusterTrust } from './trust-bundles/cluster-trust-module.ts';

function ofCluster(name: string, module: () => AgentModule): ModuleConfiguration<object> {
  return { name, agents: 'cluster', defaults: {}, module: () => module() };
}

/** Returns the configuration of a source of projected volumes that the cluster must have switched on as well. */
function ofGate(name: string, gate: string, module: () => AgentModule): ModuleConfiguration<object> {
  const options = ({ gates }: NodeConfiguration): object | undefined => (gates.isEnabled(gate) ? {} : undefined);
  return { name, agents: 'cluster', gates: [gate], options, module: () => module() };
}

/** Configuration of the modules that connect pods with the API server, in the order of their set-up. */
export const clusterPodsConfiguration: readonly ModuleConfiguration<object>[] = [
  ofCluster('cluster-objects', clusterObjects),
  ofCluster('cluster-tokens', clusterTokens),
  ofCluster('cluster-volumes', clusterVolumes),
  ofGate('cluster-trust', 'ClusterTrustBundleProjection', clusterTrust),
  ofGate('cluster-certificates', 'PodCertificateRequest', clusterCertificates),
  ofCluster('cluster-pods', clusterPods),
];

/** Configuration of the module `clusterEvents`. */
export const clusterEventsConfiguration: ModuleConfiguration<object> = ofCluster('cluster-events', clusterEvents);
