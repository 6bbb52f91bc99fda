import type { AgentModule } from '@rxlet/agent-api';
import {
  KubeletConfigurationError,
  type ModuleConfiguration,
  type NodeConfiguration,
} from '@rxlet/agent-api/configuration';
import { clusterEvents } from './events/cluster-events-module.ts';
import { type ChangeDetection, clusterObjects, type ClusterObjectsOptions } from './objects/cluster-objects-module.ts';
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

const DETECTIONS: readonly ChangeDetection[] = ['Watch', 'Cache', 'Get'];

const clusterObjectsConfiguration: ModuleConfiguration<ClusterObjectsOptions> = {
  name: 'cluster-objects',
  agents: 'cluster',
  fields: ['configMapAndSecretChangeDetectionStrategy'],
  withoutEffect: {
    contentType:
      'requests and answers are JSON, which takes less CPU here than Protocol Buffers: see docs/decisions/0015-json-for-the-api-server.md',
  },
  defaults: {},
  options({ configuration: { configMapAndSecretChangeDetectionStrategy: strategy = 'Watch' } }) {
    const changeDetection = DETECTIONS.find((known) => known === strategy);
    if (changeDetection === undefined)
      throw new KubeletConfigurationError('start', [`unknown configmap and secret manager mode: ${strategy}`]);
    return { changeDetection };
  },
  module: (options) => clusterObjects(options),
};

/** Configuration of the modules that connect pods with the API server, in the order of their set-up. */
export const clusterPodsConfiguration: readonly ModuleConfiguration<object>[] = [
  clusterObjectsConfiguration,
  ofCluster('cluster-tokens', clusterTokens),
  ofCluster('cluster-volumes', clusterVolumes),
  ofGate('cluster-trust', 'ClusterTrustBundleProjection', clusterTrust),
  ofGate('cluster-certificates', 'PodCertificateRequest', clusterCertificates),
  ofCluster('cluster-pods', clusterPods),
];

/** Configuration of the module `clusterEvents`. */
export const clusterEventsConfiguration: ModuleConfiguration<object> = ofCluster('cluster-events', clusterEvents);
