import type { ContainerAdditions } from '@rxlet/agent-api/containers';
import type { MountedVolume, PodVolumes } from '@rxlet/agent-api/volumes';
import { create } from '@bufbuild/protobuf';
import { type CDIDevice, CDIDeviceSchema, type Device, DeviceSchema, type Mount, MountSchema } from '@rxlet/cri-api';
import { hostNetworkPodIps, isHostNetworkPod, podUid } from '@rxlet/pod-model';
import { containerEnvironment, type EnvFiles } from '../config/environment.ts';
import { supportsRecursiveReadOnly } from '../config/runtime-handler.ts';
import type { Context } from '../context.ts';
import { readBelow } from '../files/read-below.ts';
import { blockDevices } from '../mounts/block-devices.ts';
import { volumeMounts } from '../mounts/volume-mounts.ts';
import { hostsMount, type OwnMountsPorts } from './container-mounts.ts';
import { imagesOf, imageVolumesAsMounted } from './image-volumes.ts';
import type { StartContainerRequest } from './start-container-request.ts';

/** Parts of a container's configuration that depend on the node and the cluster (kubelet: GenerateRunContainerOptions). */
export interface ContainerOptions {
  /** Annotations beside those of the agent. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly devices: readonly Device[];
  readonly cdiDevices: readonly CDIDevice[];
  readonly environment: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
}

/** Environment files are a few lines; the limit keeps a hostile one from filling the memory. */
const MAX_ENV_FILE_BYTES = 10 * 1024 * 1024;

/** Ports of {@link containerOptions}. */
export type ContainerOptionsPorts = OwnMountsPorts &
  Pick<Context, 'runtime' | 'runtimeHandler' | 'hostFiles' | 'settings' | 'hostIps' | 'allocatable' | 'logger'> &
  Pick<Context, 'objects' | 'services' | 'volumes' | 'containerSteps'>;

/**
 * Collects devices, environment and mounts of a container, in the kubelet's order.
 * @throws ConfigError for an object, volume or field that is not available
 */
export async function containerOptions(
  ports: ContainerOptionsPorts,
  request: StartContainerRequest,
): Promise<ContainerOptions> {
  const { pod, container, sandbox, imageVolumes, etcHosts, signal } = request;
  const { settings, hostIps, allocatable, objects, services } = ports;
  const mounted = ports.volumes?.mountedVolumes(podUid(pod)) ?? new Map<string, MountedVolume>();
  const volumes = new Map([...imageVolumesAsMounted(pod), ...mounted]);

  const added = await additionsOf(ports, request);
  const devices = [...added.flatMap(addedDevices), ...blockDevices(container, volumes)];
  const defined = await containerEnvironment({
    pod,
    container,
    podIps: isHostNetworkPod(pod) ? hostNetworkPodIps(sandbox.ips, hostIps()) : sandbox.ips,
    hostIps: hostIps(),
    primaryNodeIp: settings.nodeIps[0],
    allocatable: allocatable(),
    objects,
    services,
    envFiles: envFilesOf(ports, mounted),
    signal,
  });
  const environment = new Map([...added.flatMap((one) => Object.entries(one.environment)), ...defined]);
  const supported =
    ports.volumes === undefined
      ? // Mounts of other volumes may be added by a step; those that are still missing before the creation are an error.
        { ...container, volumeMounts: (container.volumeMounts ?? []).filter(({ name }) => volumes.has(name)) }
      : container;
  const mounts = await volumeMounts(
    { subPaths: ports.volumes ?? noSubPaths, hostFiles: ports.hostFiles, logger: ports.logger },
    {
      pod,
      container: supported,
      volumes,
      images: imagesOf(imageVolumes),
      environment: defined,
      supportsRecursiveReadOnly: await supportsRecursiveReadOnly(ports, pod, [container], signal),
      seLinux: settings.seLinux,
      signal,
    },
  );
  const hosts = await hostsMount(ports, container, etcHosts);
  return {
    annotations: Object.assign({}, ...added.map(({ annotations }) => annotations)) as Record<string, string>,
    devices,
    cdiDevices: added.flatMap(({ cdiDevices }) => cdiDevices.map((name) => create(CDIDeviceSchema, { name }))),
    environment,
    mounts: [...added.flatMap(addedMounts), ...mounts, ...(hosts === undefined ? [] : [hosts])],
  };
}

/** Collects the additions of all steps, in their order. */
async function additionsOf(
  { containerSteps }: Pick<Context, 'containerSteps'>,
  { pod, container, signal }: StartContainerRequest,
): Promise<readonly ContainerAdditions[]> {
  const added: ContainerAdditions[] = [];
  for (const step of containerSteps) {
    const additions = await step.additions?.(pod, container, signal);
    if (additions !== undefined) added.push(additions);
  }
  return added;
}

function addedDevices({ devices }: ContainerAdditions): Device[] {
  return devices.map((device) => create(DeviceSchema, device));
}

function addedMounts({ mounts }: ContainerAdditions): Mount[] {
  return mounts.map(({ readOnly: readonly, ...paths }) => create(MountSchema, { ...paths, readonly }));
}

/** Image volumes have no sub paths on the node. */
const noSubPaths: Pick<PodVolumes, 'makeSubPath' | 'prepareSubPath'> = {
  makeSubPath: () => Promise.reject(new Error('this agent mounts no volumes')),
  prepareSubPath: () => Promise.reject(new Error('this agent mounts no volumes')),
};

function envFilesOf({ hostFiles }: Pick<Context, 'hostFiles'>, volumes: ReadonlyMap<string, MountedVolume>): EnvFiles {
  return {
    async read(name, path) {
      const volume = volumes.get(name);
      if (volume === undefined || volume.devicePath !== undefined) return undefined;
      const directory = await hostFiles.openDirectory(volume.hostPath);
      if (directory === undefined) throw new Error(`${volume.hostPath}: no such directory`);
      const file = await readBelow(directory, path, MAX_ENV_FILE_BYTES);
      return { path: `${volume.hostPath}/${file.path}`, bytes: file.bytes };
    },
  };
}
