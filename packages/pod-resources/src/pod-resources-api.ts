import type { Counter, Metrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import type { AllocatableResourcesResponse, PodResources } from '../gen/podresources/v1/podresources_pb.js';
import type { PodResources as PodDevices } from '../gen/podresources/v1alpha1/podresources_pb.js';
import type { AssignedResources } from './assigned-resources.ts';
import { allocatableOf, podDevicesOf, podResourcesOf } from './container-resources.ts';

/** Ports of {@link createPodResourcesApi}. */
export interface PodResourcesPorts {
  /** Returns the pods that have not ended. */
  activePods(): readonly Pod[];
  /** Returns all pods of the node, those that have ended included. */
  allPods(): readonly Pod[];
  /** `undefined` when no resources are assigned to single containers. */
  readonly assigned: AssignedResources | undefined;
  readonly metrics: Metrics;
}

/** Answers of the PodResources API. */
export interface PodResourcesApi {
  list(): PodResources[];
  /** @throws Error for a pod that does not exist or has ended */
  get(namespace: string, name: string): PodResources;
  allocatable(): AllocatableResourcesResponse;
  /** Answers version v1alpha1, which lists pods that have ended too. */
  listDevices(): PodDevices[];
}

/** Creates a {@link PodResourcesApi}. */
export function createPodResourcesApi({ activePods, allPods, assigned, metrics }: PodResourcesPorts): PodResourcesApi {
  const counter = (name: string, help: string): Counter =>
    metrics.counter({ name: `kubelet_pod_resources_endpoint_${name}`, help, labelNames: ['server_api_version'] });
  const requests = counter(
    'requests_total',
    '[ALPHA] Cumulative number of requests to the PodResource endpoint. Broken down by server api version.',
  );
  const lists = counter(
    'requests_list',
    '[ALPHA] Number of requests to the PodResource List endpoint. Broken down by server api version.',
  );
  const gets = counter(
    'requests_get',
    '[ALPHA] Number of requests to the PodResource Get endpoint. Broken down by server api version.',
  );
  const failedGets = counter(
    'errors_get',
    '[ALPHA] Number of requests to the PodResource Get endpoint which returned error. Broken down by server api version.',
  );
  const allocatables = counter(
    'requests_get_allocatable',
    '[ALPHA] Number of requests to the PodResource GetAllocatableResources endpoint. Broken down by server api version.',
  );
  const count = (version: 'v1' | 'v1alpha1', ...counters: readonly Counter[]): void => {
    for (const each of counters) each.inc({ server_api_version: version });
  };
  return {
    list() {
      count('v1', requests, lists);
      return activePods().map((pod) => podResourcesOf(pod, assigned));
    },
    get(namespace, name) {
      count('v1', requests, gets);
      const pod = activePods().find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name);
      if (pod !== undefined) return podResourcesOf(pod, assigned);
      count('v1', failedGets);
      throw new Error(`pod ${name} in namespace ${namespace} not found`);
    },
    allocatable() {
      count('v1', requests, allocatables);
      return allocatableOf(assigned);
    },
    listDevices() {
      count('v1alpha1', requests, lists);
      return allPods().map((pod) => podDevicesOf(pod, assigned));
    },
  };
}
