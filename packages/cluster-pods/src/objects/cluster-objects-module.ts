import { type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { clusterServices, kubeClients, podObjects, type PodObjects, runtimeClasses } from '@rxlet/agent-api/kube';
import { nodeObject } from '@rxlet/agent-api/node';
import type { Node, Pod } from '@rxlet/kube-api';
import type { KubeObject } from '@rxlet/kube-api/client';
import { type KubeResource, resources } from '@rxlet/kube-api/resources';
import { podUid } from '@rxlet/pod-model';
import { merge } from 'rxjs';
import { createReadObjects } from './read-objects.ts';
import type { ReferencedObjects } from './referenced-objects.ts';
import { createWatchedObjects } from './watched-objects.ts';

/** How ConfigMaps and Secrets are kept up to date: by a watch for each, by reads of which each counts for a time, or by a read for each use. */
export type ChangeDetection = 'Watch' | 'Cache' | 'Get';

/** Options of {@link clusterObjects}. */
export interface ClusterObjectsOptions {
  /** Default: `Watch`. */
  readonly changeDetection?: ChangeDetection | undefined;
}

/** Time for which a read counts, unless the Node object has another, as in the kubelet. */
const CACHE_TTL_MS = 60_000;
/** Annotation of the Node object with that time, in seconds. The control plane sets it by the number of nodes. */
const TTL_ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/**
 * Creates the agent module that reads what pods refer to: the ConfigMaps and Secrets that some pod of the node uses, and pull secrets among them; the services and
 * RuntimeClasses of the cluster.
 */
export function clusterObjects({ changeDetection = 'Watch' }: ClusterObjectsOptions = {}): AgentModule {
  return {
    name: 'cluster-objects',
    needs: [kubeClients],
    uses: [nodeObject],
    provides: [podObjects, clusterServices, runtimeClasses],
    setup({ services, clock, logger }) {
      const client = services.get(kubeClients).main;
      const node = services.find(nodeObject);
      const ttlMs = (): number => (changeDetection === 'Get' ? 0 : cacheTtlMs(node?.cached()));
      const keep = <T extends KubeObject>(resource: KubeResource<T>): ReferencedObjects<T> =>
        changeDetection === 'Watch'
          ? createWatchedObjects({ client, clock, logger }, resource)
          : createReadObjects({ client, clock }, resource, { ttlMs });
      const configMaps = keep(resources.configMaps);
      const secrets = keep(resources.secrets);
      const serviceWatch = client.watch(resources.services, { fieldSelector: 'spec.clusterIP!=None' });
      const classWatch = client.watch(resources.runtimeClasses);
      const kept: readonly ReferencedObjects<unknown>[] = [configMaps, secrets];
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

/** Returns the time for which a read counts: that of the Node object, if it has a valid one. */
function cacheTtlMs(node: Node | undefined): number {
  const seconds = node?.metadata?.annotations?.[TTL_ANNOTATION] ?? '';
  return /^\d+$/.test(seconds) ? Number(seconds) * 1000 : CACHE_TTL_MS;
}

function namespaceOf({ metadata }: Pod): string {
  return metadata?.namespace ?? 'default';
}
