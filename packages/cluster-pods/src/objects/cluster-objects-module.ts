import { type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { clusterServices, kubeClients, podObjects, type PodObjects, runtimeClasses } from '@rxlet/agent-api/kube';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { podUid } from '@rxlet/pod-model';
import { merge } from 'rxjs';
import { createWatchedObjects, type WatchedObjects } from './watched-objects.ts';

/**
 * Creates the agent module that reads what pods refer to: ConfigMaps and Secrets, one watch for each that some pod of the node uses, and pull secrets among them; the
 * services and RuntimeClasses of the cluster.
 */
export function clusterObjects(): AgentModule {
  return {
    name: 'cluster-objects',
    needs: [kubeClients],
    provides: [podObjects, clusterServices, runtimeClasses],
    setup({ services, clock, logger }) {
      const client = services.get(kubeClients).main;
      const configMaps = createWatchedObjects({ client, clock, logger }, resources.configMaps);
      const secrets = createWatchedObjects({ client, clock, logger }, resources.secrets);
      const serviceWatch = client.watch(resources.services, { fieldSelector: 'spec.clusterIP!=None' });
      const classWatch = client.watch(resources.runtimeClasses);
      const kept: readonly WatchedObjects<unknown>[] = [configMaps, secrets];
      const objects: PodObjects = {
        configMap: async (pod, name, signal) => configMaps.get(podUid(pod), namespaceOf(pod), name, signal),
        secret: async (pod, name, signal) => secrets.get(podUid(pod), namespaceOf(pod), name, signal),
        changes$: merge(configMaps.changes$, secrets.changes$),
      };
      return {
        services: [
          provide(podObjects, objects),
          provide(clusterServices, {
            get isSynced() {
              return serviceWatch.isSynced;
            },
            list: () => serviceWatch.list(),
          }),
          provide(runtimeClasses, { find: (name) => classWatch.find({ name }) }),
        ],
        contributions: [
          contribute(podSteps, {
            name: 'referenced-objects',
            prepare(pod) {
              for (const { name } of pod.spec?.imagePullSecrets ?? [])
                if (name) secrets.register(podUid(pod), namespaceOf(pod), name);
            },
            tearDown: ({ uid }) => kept.forEach((objectsOfKind) => objectsOfKind.release(uid)),
          }),
          contribute(housekeepingSteps, {
            name: 'referenced-objects',
            run: ({ knownPodUids }) => kept.forEach((objectsOfKind) => objectsOfKind.retain(knownPodUids)),
          }),
          contribute(supportedPodFields, 'spec.imagePullSecrets', 'spec.runtimeClassName'),
        ],
        start() {
          serviceWatch.start();
          classWatch.start();
        },
        async [Symbol.asyncDispose]() {
          const parts = [serviceWatch, classWatch, configMaps, secrets];
          await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
        },
      };
    },
  };
}

function namespaceOf({ metadata }: Pod): string {
  return metadata?.namespace ?? 'default';
}
