import type { Container, EphemeralContainer, Pod, Quantity, ResourceFieldSelector } from '@rxlet/kube-api';
import { isZeroQuantity, parseQuantity, quantityMilliValue, quantityValue } from '@rxlet/pod-model/quantity';
import { isPodLevelResource } from '@rxlet/pod-model/resources';
import { containerConfigError } from './config-error.ts';

/** Resources whose missing limits default to those of the pod, or else to the node's allocatable resources. */
const defaultedLimits: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

const INT64_LIMIT = 2 ** 63;
const LEAST_INT64 = -(2n ** 63n);

/**
 * Returns the value of a container's request or limit for a `resourceFieldRef`, divided by the divisor and rounded up. A limit that the container itself or a
 * regular container does not set defaults to the pod-level limit, or else to the node's allocatable resources.
 * @throws ConfigError for an unknown container or resource
 */
export function resourceFieldValue(
  pod: Pod,
  own: Container | EphemeralContainer,
  { containerName = '', resource, divisor }: ResourceFieldSelector,
  allocatable: Readonly<Record<string, Quantity>>,
): string {
  const container = containerName === '' ? own : findContainer(pod, containerName);
  const [, list, name = ''] = /^(limits|requests)\.(.+)$/s.exec(resource) ?? [];
  if (list === undefined || (!defaultedLimits.has(name) && !name.startsWith('hugepages-'))) {
    throw containerConfigError(`unsupported container resource : ${resource}`);
  }
  const hasDefaults = containerName === '' || pod.spec!.containers.some((regular) => regular.name === containerName);
  const quantity =
    list === 'requests'
      ? container.resources?.requests?.[name]
      : (setQuantity(container.resources?.limits?.[name]) ??
        (hasDefaults && defaultedLimits.has(name) ? defaultLimit(pod, name, allocatable) : undefined));
  return divide(quantity, divisor, name);
}

function findContainer(pod: Pod, name: string): Container {
  const found = [...pod.spec!.containers, ...(pod.spec!.initContainers ?? [])].find(
    (container) => container.name === name,
  );
  if (found === undefined) throw containerConfigError(`container ${name} not found`);
  return found;
}

/** Returns a quantity that is not zero. */
function setQuantity(quantity: Quantity | undefined): Quantity | undefined {
  return quantity === undefined || isZeroQuantity(parseQuantity(quantity)) ? undefined : quantity;
}

/** Only resources that the node reports have a default. */
function defaultLimit(pod: Pod, name: string, allocatable: Readonly<Record<string, Quantity>>): Quantity | undefined {
  const ofNode = allocatable[name];
  const ofPod = isPodLevelResource(name) ? setQuantity(pod.spec!.resources?.limits?.[name]) : undefined;
  return ofNode === undefined ? undefined : (ofPod ?? ofNode);
}

/** Divides in floating point, as the kubelet does, so that huge amounts are rounded alike. */
function divide(quantity: Quantity | undefined, divisor: Quantity | undefined, name: string): string {
  const read = name === 'cpu' ? quantityMilliValue : quantityValue;
  const by = setQuantity(divisor) ?? '1';
  const value = Math.ceil(Number(read(parseQuantity(quantity ?? '0'))) / Number(read(parseQuantity(by))));
  // A divisor that 64 bits cannot hold counts as zero; Go converts a number that is not an integer of 64 bits to the least one.
  return String(Number.isFinite(value) && Math.abs(value) < INT64_LIMIT ? BigInt(value) : LEAST_INT64);
}
