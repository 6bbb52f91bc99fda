import { type AgentModule, contribute, debugSections, podSteps, provide, syncTriggers } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { containerFields, type SupportedPodField, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { clusterTrustBundles, podCertificates, podObjects, podTokens } from '@rxlet/agent-api/kube';
import { nodeObject, nodeResources, nodeStatusSetters } from '@rxlet/agent-api/node';
import { hostPathMaker, persistentVolumes, podVolumes, podVolumeUsage, volumePlugins } from '@rxlet/agent-api/volumes';
import type { EventObject } from '@rxlet/component-base/events';
import { follow } from '@rxlet/component-base/streams';
import { merge, NEVER, type Subscription } from 'rxjs';
import { isSwapOn, readSeLinuxPolicy } from '@rxlet/machine';
import { hasRunningContainer } from '@rxlet/pod-model/runtime';
import { createVolumeManager, type VolumeManagerOptions, type VolumeManagerPorts } from './volume-manager.ts';

/** Options of {@link volumes}. */
export interface VolumesOptions
  extends
    Pick<VolumeManagerPorts, 'mounter' | 'loopDevices' | 'fileSystems' | 'hostPaths' | 'realPath' | 'seLinux'>,
    Pick<VolumeManagerOptions, 'supportsNoSwap'> {}

/** In the kubelet's words. */
const SWAPPED_VOLUMES =
  'The tmpfs noswap option is not supported. Memory-backed volumes (e.g. secrets, emptyDirs, etc.) might be swapped to disk and should no longer be considered secure.';

/** Creates the agent module that mounts the volumes of pods. */
export function volumes(options: VolumesOptions = {}): AgentModule {
  return {
    name: 'volumes',
    uses: [
      hostPathMaker,
      podObjects,
      podTokens,
      clusterTrustBundles,
      podCertificates,
      persistentVolumes,
      nodeResources,
      nodeObject,
    ],
    provides: [podVolumes, podVolumeUsage],
    collects: [volumePlugins],
    setup({ files, hostFiles, clock, random, logger, events, journal, metrics, node, core, services, collections }) {
      const { supportsNoSwap, ...ports } = options;
      const objects = services.find(podObjects);
      const resources = services.find(nodeResources);
      const claims = services.find(persistentVolumes);
      const contributed = collections.of(volumePlugins);
      const nodeOf = services.find(nodeObject);
      const certificates = services.find(podCertificates);
      const allocatable = () => resources?.allocatable() ?? {};
      const sources = {
        objects,
        tokens: services.find(podTokens),
        trustBundles: services.find(clusterTrustBundles),
        podCertificates: certificates,
        allocatable,
      };
      const manager = createVolumeManager(
        {
          files,
          hostFiles,
          clock,
          random,
          logger,
          events,
          journal,
          metrics,
          sources,
          persistentVolumes: claims,
          plugins: () => contributed,
          hostPaths: services.find(hostPathMaker),
          seLinux: () => readSeLinuxPolicy(hostFiles),
          node: nodeOf && { cached: () => nodeOf.cached(), changes$: nodeOf.changes$ ?? NEVER },
          ...ports,
        },
        { rootDirectory: node.rootDirectory, supportsNoSwap },
      );
      const mayRun = (uid: string): boolean => core.mayRunContainers(uid) || hasRunningContainer(core.runtimePod(uid));
      /** UIDs of pods whose ConfigMaps, Secrets or certificates have changed. */
      const changed = [objects?.changes$, certificates?.changes$].filter((one) => one !== undefined);
      let changes: Subscription | undefined;
      return {
        services: [provide(podVolumes, manager), provide(podVolumeUsage, manager)],
        contributions: [
          contribute(podSteps, {
            name: 'volumes',
            prepare: (pod, signal) => manager.prepare(pod, signal),
            tearDown: ({ uid }, signal) => manager.tearDown(uid, signal),
          }),
          contribute(nodeStatusSetters, {
            name: 'volumes in use',
            fields: ['volumesInUse'],
            contribute() {
              const volumesInUse = manager.volumesInUse();
              const isUnchanged = volumesInUse?.length === 0 && !nodeOf?.cached().status?.volumesInUse?.length;
              return volumesInUse === undefined || isUnchanged ? {} : { status: { volumesInUse: [...volumesInUse] } };
            },
          }),
          contribute(syncTriggers, ...changed),
          contribute(housekeepingSteps, {
            name: 'remove orphaned volumes',
            run: ({ knownPodUids, signal }) =>
              manager.cleanUp({ isKnown: (uid) => knownPodUids.has(uid), mayRun }, signal),
          }),
          contribute(debugSections, { name: 'volumes', inspect: () => manager.inspect() }),
          contribute(supportedPodFields, ...supportedFields, ...(claims === undefined ? [] : claimFields), {
            path: 'spec.volumes[*].*',
            accepts: (_source, field) => contributed.some(({ sources }) => sources.some((one) => one === field)),
          }),
        ],
        async start() {
          await manager.start();
          if (!manager.keepsMemoryOutOfSwap() && (await isSwapOn(hostFiles).catch(() => false))) {
            const object: EventObject = { apiVersion: 'v1', kind: 'Node', name: node.name };
            events.event(object, 'Warning', 'PossibleMemoryBackedVolumesOnDisk', SWAPPED_VOLUMES);
          }
          changes = follow(merge(...changed), {
            task: 'retrying volumes of changed objects',
            logger,
            next: (uid) => manager.objectsChanged(uid),
          });
        },
        async [Symbol.asyncDispose]() {
          changes?.unsubscribe();
          await manager[Symbol.asyncDispose]();
        },
      };
    },
  };
}

const supportedFields: readonly SupportedPodField[] = [
  ...['emptyDir', 'hostPath', 'configMap', 'secret', 'downwardAPI', 'projected', 'nfs'].map(
    (source) => `spec.volumes[*].${source}`,
  ),
  ...containerFields('volumeMounts[*].subPathExpr'),
];

/** Claims need an API server. */
const claimFields: readonly SupportedPodField[] = [
  ...['persistentVolumeClaim', 'ephemeral'].map((source) => `spec.volumes[*].${source}`),
  ...containerFields('volumeDevices'),
];
