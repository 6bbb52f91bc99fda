import { type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { kubeClients, podCertificates } from '@rxlet/agent-api/kube';
import { nodeObject } from '@rxlet/agent-api/node';
import { createCertificateKey } from './certificate-key.ts';
import { createPodCertificateManager } from './pod-certificate-manager.ts';

/** Creates the agent module that requests certificates of pods for projected volumes (kubelet: feature gate `PodCertificateRequest`). */
export function clusterCertificates(): AgentModule {
  return {
    name: 'cluster-certificates',
    needs: [kubeClients, nodeObject],
    provides: [podCertificates],
    setup({ services, clock, random, logger, events, metrics, node }) {
      const nodeOf = services.get(nodeObject);
      const manager = createPodCertificateManager({
        client: services.get(kubeClients).main,
        clock,
        random,
        logger,
        events,
        metrics,
        createKey: createCertificateKey,
        nodeName: node.name,
        nodeUid: () => nodeOf.cached().metadata?.uid,
      });
      return {
        services: [provide(podCertificates, manager)],
        contributions: [
          contribute(podSteps, { name: 'certificates', tearDown: ({ uid }) => manager.release(uid) }),
          contribute(housekeepingSteps, {
            name: 'certificates',
            run: ({ knownPodUids }) => manager.retain(knownPodUids),
          }),
        ],
        [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
      };
    },
  };
}
