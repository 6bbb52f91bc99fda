import { admissionHandlers, type AgentModule, contribute, debugSections, provide } from '@rxlet/agent-api';
import { podProbes } from '@rxlet/agent-api/containers';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { EndpointError, httpEndpoints } from '@rxlet/agent-api/http';
import { type PodFailure, podEvictors } from '@rxlet/agent-api/statuses';
import { containerLogsEndpoint } from '@rxlet/container-logs';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { findPodContainer, isTerminalPhase, podUid } from '@rxlet/pod-model';
import { NEVER } from 'rxjs';
import type { PodProvider } from './pod-provider.ts';
import type { PodRejection } from './provider-pod.ts';
import { providerStatsEndpoints } from './provider-stats.ts';
import type { ProviderPods } from './provider-pods.ts';

/** Ports of {@link providerModule}. */
export interface ProviderModulePorts {
  readonly provider: PodProvider;
  readonly pods: ProviderPods;
  /** Pods that the provider rejects for good, by UID. */
  readonly rejections: ReadonlyMap<string, PodRejection>;
}

/** Creates the agent module that judges pods by the provider, fails those that it gave up, and serves logs and statistics. */
export function providerModule({ provider, pods, rejections }: ProviderModulePorts): AgentModule {
  return {
    name: 'pod-provider',
    provides: [podProbes],
    setup({ core, clock, node }) {
      const findPod = (namespace: string, name: string): Pod | undefined =>
        core.pods.list().find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name);
      return {
        services: [
          provide(podProbes, {
            livenessResults: () => new Map(),
            startupResults: () => new Map(),
            isReady: (containerId) => readiness(pods, containerId),
            isStarted: () => true,
            statusSet: () => undefined,
            results$: NEVER,
          }),
        ],
        contributions: [
          // A provider gets the pod whole, and rejects what it cannot run by `admit`.
          contribute(supportedPodFields, 'spec'),
          contribute(admissionHandlers, {
            name: 'pod-provider',
            admit(pod) {
              pods.keepImages(pod);
              return provider.admit?.(pod);
            },
          }),
          contribute(podEvictors, {
            name: 'pod-provider',
            shouldEvict: (pod, current) => rejections.get(podUid(pod)) ?? failureOf(pods, pod, current),
          }),
          contribute(debugSections, {
            name: 'provider',
            inspect: () => ({ name: provider.name, problem: pods.problem(), pods: pods.list() }),
          }),
          contribute(
            httpEndpoints,
            containerLogsEndpoint(async ({ namespace, podName, containerName, ...query }, signal) => {
              const pod = findPod(namespace, podName);
              if (pod === undefined) throw new EndpointError(404, `pod "${podName}" not found`);
              if (findPodContainer(pod, containerName) === undefined)
                throw new EndpointError(404, `container "${containerName}" not found in pod "${podName}"`);
              if (provider.logs === undefined) throw new EndpointError(501, 'the node has no logs');
              const reference = { uid: podUid(pod), name: podName, namespace };
              return provider.logs({ pod: reference, container: containerName }, { ...query, signal });
            }, clock),
            ...providerStatsEndpoints({ provider, clock, pods: () => core.pods.list() }, node.name),
          ),
        ],
        start: () => pods.start(),
        [Symbol.asyncDispose]: () => pods[Symbol.asyncDispose](),
      };
    },
  };
}

/** Returns why a pod has failed in the provider. A pod that the agent itself ends has not failed. */
function failureOf(
  pods: Pick<ProviderPods, 'get'>,
  { metadata }: Pod,
  { phase, containerStatuses = [] }: PodStatus,
): PodFailure | undefined {
  if (metadata?.deletionTimestamp !== undefined || isTerminalPhase(phase)) return undefined;
  const record = pods.get(metadata?.uid ?? '');
  if (record !== undefined) return record.isDeleted ? undefined : (record.pod.failure ?? record.removal);
  // It ran before a restart of the agent, and was removed meanwhile.
  const hasRun = containerStatuses.some(({ containerID }) => Boolean(containerID));
  return hasRun
    ? { reason: 'NotFound', message: 'The pod was removed from the provider while no agent ran' }
    : undefined;
}

/** Returns the reported readiness of a running container. */
function readiness(pods: Pick<ProviderPods, 'list'>, containerId: string): boolean | undefined {
  const id = containerId.replace(/^.*?:\/\//, '');
  for (const { pod } of pods.list()) {
    const container = pod.containers.find((one) => one.id === id);
    if (container !== undefined) return container.state === 'running' ? container.ready : undefined;
  }
  return undefined;
}
