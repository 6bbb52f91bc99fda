import type { Pod, ResourceRequirements } from '@rxlet/kube-api';
import { podLimits, podRequests } from '@rxlet/pod-model/resources';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { type InternalQuantity, readQuantity, roundQuantity } from './print-quantity.ts';

/** Annotations of early versions of the API, which the conversion drops. */
const droppedAnnotations: readonly string[] = ['init-containers', 'init-container-statuses'].flatMap((name) => [
  `pod.beta.kubernetes.io/${name}`,
  `pod.alpha.kubernetes.io/${name}`,
]);

type Quantities = Readonly<Record<string, InternalQuantity>>;

/**
 * Returns the data of the API server's internal Pod, with defaults: fields have the names of the JSON and stand where the internal type has them.
 *
 * @param given pod as decoded from a manifest, in which empty lists differ from absent ones and quantities are as written
 */
export function internalPod(given: Pod): object {
  const pod = defaultPod(given);
  removeDefaultDivisors({ ...pod }, { ...given });
  const { metadata, status } = pod;
  const spec = pod.spec ?? { containers: [] };
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const convert = <T extends { readonly resources?: ResourceRequirements }>(
    list: readonly T[] | undefined,
    written: readonly T[] | undefined,
  ) =>
    list?.map((container, index) => {
      const resources = containerResources(container.resources, written?.[index]?.resources);
      return { ...container, resources };
    });
  return {
    metadata: { ...metadata, annotations: withoutDropped(metadata?.annotations) },
    spec: {
      ...spec,
      containers: convert(spec.containers, given.spec?.containers),
      initContainers: convert(spec.initContainers, given.spec?.initContainers),
      ephemeralContainers: convert(spec.ephemeralContainers, given.spec?.ephemeralContainers),
      overhead: rounded(spec.overhead, given.spec?.overhead),
      resources: podResources(given, pod),
      serviceAccountName: spec.serviceAccountName || spec.serviceAccount,
      securityContext: {
        ...spec.securityContext,
        hostNetwork,
        hostPID,
        hostIPC,
        shareProcessNamespace,
        hostUsers,
      },
    },
    status: status && { ...status, podIPs: podIpsOf(status) },
  };
}

/** Removes the divisors that the defaults have added to a copy of what is written: internally, an absent divisor differs from one of 0. */
function removeDefaultDivisors(
  copy: Record<string, unknown>,
  written: Readonly<Record<string, unknown>> | undefined,
): void {
  for (const [key, item] of Object.entries(copy)) {
    const before = written?.[key];
    if (key === 'divisor' && before === undefined) delete copy[key];
    else if (typeof item === 'object' && item !== null)
      removeDefaultDivisors(item as Record<string, unknown>, before as Record<string, unknown> | undefined);
  }
}

function withoutDropped(
  annotations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (annotations === undefined || !droppedAnnotations.some((name) => name in annotations)) return annotations;
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !droppedAnnotations.includes(name)));
}

/** The first address wins over a list that contradicts it. */
function podIpsOf({ podIP = '', podIPs = [] }: NonNullable<Pod['status']>): NonNullable<Pod['status']>['podIPs'] {
  if (podIP === '' || podIPs[0]?.ip === podIP) return podIPs.length === 0 ? undefined : podIPs;
  return [{ ip: podIP }];
}

/** A limit without a request is the request as well. */
function containerResources(
  resources: ResourceRequirements | undefined,
  written: ResourceRequirements | undefined,
): object {
  return {
    ...resources,
    limits: rounded(resources?.limits, written?.limits),
    requests: rounded(resources?.requests, { ...written?.limits, ...written?.requests }),
  };
}

/** Rounds the quantities of a list as they were written: the defaults have formatted those that they rounded. */
function rounded(
  list: ResourceRequirements['limits'],
  written: ResourceRequirements['limits'],
): Quantities | undefined {
  if (list === undefined) return undefined;
  const quantities = Object.entries(list).map(([name, text]): [string, InternalQuantity] => [
    name,
    roundQuantity(readQuantity(written?.[name] ?? text)),
  ]);
  return Object.fromEntries(quantities);
}

/** Returns the pod's own resources. Those that are sums over its containers have no text. */
function podResources(given: Pod, { spec }: Pod): object | undefined {
  const resources = spec?.resources;
  if (resources === undefined) return undefined;
  const options = { excludeOverhead: true, skipPodLevelResources: true };
  const own = given.spec?.resources;
  const from = (
    list: ResourceRequirements['limits'],
    ofPod: ResourceRequirements['limits'],
    sums: ReturnType<typeof podRequests>,
  ): Quantities | undefined => {
    if (list === undefined) return undefined;
    const quantities = Object.entries(list).map(([name, text]): [string, InternalQuantity] => {
      const sum = ofPod?.[name] === undefined ? sums[name] : undefined;
      const quantity =
        sum === undefined ? readQuantity(ofPod?.[name] ?? text) : { quantity: sum, text: sum.text ?? '' };
      return [name, roundQuantity(quantity)];
    });
    return Object.fromEntries(quantities);
  };
  const plain = { ...given, spec: { ...spec!, resources: undefined } } as Pod;
  return {
    ...resources,
    limits: from(resources.limits, own?.limits, podLimits(plain, options)),
    requests: from(resources.requests, own?.requests, podRequests(plain, options)),
  };
}
