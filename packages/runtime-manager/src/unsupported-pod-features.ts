import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { type ContainerKind, podContainers } from '@rxlet/pod-model';
import { imageVolumeNames } from './sync/image-volumes.ts';

/** Parts that an agent may have besides the runtime manager, and that make more features work. Each is `false` unless given. */
export interface SupportedFeatures {
  /** The manager was given a port for lifecycle hooks. */
  readonly lifecycleHooks?: boolean;
  /** Something probes containers, and hands the results to `syncPod`. */
  readonly probes?: boolean;
  /** The manager was given a `runtimeHandler` option that knows runtime classes. */
  readonly runtimeClasses?: boolean;
}

type AnyContainer = Container | EphemeralContainer;
/** Says which fields, relative to the pod or the container, ask for what cannot be had. */
type Feature<T> = (subject: T, supported: SupportedFeatures, pod: Pod) => readonly string[];

const when = (isUsed: boolean, field: string): readonly string[] => (isUsed ? [field] : []);

/** What this version cannot honour of a pod as a whole. */
const podFeatures: readonly Feature<NonNullable<Pod['spec']>>[] = [
  // Nobody mounts anything but the runtime, which mounts images.
  ({ volumes = [] }) => volumes.flatMap(({ image }, index) => when(image === undefined, `volumes[${String(index)}]`)),
  // No ranges of ids are handed out to user namespaces.
  ({ hostUsers }) => when(hostUsers === false, 'hostUsers'),
  // No drivers of dynamic resources are talked to.
  ({ resourceClaims = [] }) => when(resourceClaims.length > 0, 'resourceClaims'),
  // There is no cgroup tree to enforce what applies to the pod as a whole.
  ({ resources }) => when(resources !== undefined, 'resources'),
  ({ runtimeClassName = '' }, { runtimeClasses = false }) =>
    when(runtimeClassName !== '' && !runtimeClasses, 'runtimeClassName'),
];

/** What this version cannot honour of a container. */
const containerFeatures: readonly Feature<AnyContainer>[] = [
  ({ volumeMounts = [] }, _, pod) => {
    const images = imageVolumeNames(pod);
    const isImage = ({ name, subPathExpr }: (typeof volumeMounts)[number]): boolean =>
      images.has(name) && subPathExpr === undefined;
    return when(!volumeMounts.every(isImage), 'volumeMounts');
  },
  ({ volumeDevices = [] }) => when(volumeDevices.length > 0, 'volumeDevices'),
  ({ lifecycle }, { lifecycleHooks = false }) => [
    ...when(lifecycle?.postStart !== undefined && !lifecycleHooks, 'lifecycle.postStart'),
    ...when(lifecycle?.preStop !== undefined && !lifecycleHooks, 'lifecycle.preStop'),
  ],
  ({ livenessProbe, readinessProbe, startupProbe }, { probes = false }) => [
    ...when(livenessProbe !== undefined && !probes, 'livenessProbe'),
    ...when(readinessProbe !== undefined && !probes, 'readinessProbe'),
    ...when(startupProbe !== undefined && !probes, 'startupProbe'),
  ],
  ({ resources }) => when((resources?.claims ?? []).length > 0, 'resources.claims'),
  // Devices are not allocated, so the container would start without.
  ({ resources }) =>
    Object.keys({ ...resources?.requests, ...resources?.limits })
      .filter(isExtendedResource)
      .map((name) => `resources.limits[${name}]`),
];

const listNames: Readonly<Record<ContainerKind, string>> = {
  init: 'initContainers',
  regular: 'containers',
  ephemeral: 'ephemeralContainers',
};

/**
 * The fields of a pod that the runtime manager of this version cannot honour: an agent refuses a pod with any, rather than run it as if they were not there.
 * Empty for a pod that will get all it asks for.
 *
 * Not listed, because starting the container fails with the reason: values from ConfigMaps and Secrets, which need an API server.
 *
 * @returns field paths, e.g. `spec.containers[0].livenessProbe`
 */
export function unsupportedPodFeatures(pod: Pod, supported: SupportedFeatures = {}): string[] {
  const ofPod = podFeatures.flatMap((feature) => feature(pod.spec!, supported, pod)).map((field) => `spec.${field}`);
  const ofContainers = podContainers(pod).flatMap(({ kind, index, container }) =>
    containerFeatures
      .flatMap((feature) => feature(container, supported, pod))
      .map((field) => `spec.${listNames[kind]}[${String(index)}].${field}`),
  );
  return [...ofPod, ...ofContainers];
}

/** Resources of a vendor's domain, as opposed to Kubernetes' own. */
function isExtendedResource(name: string): boolean {
  return name.includes('/') && !/^(.*\.)?kubernetes\.io\//.test(name);
}
