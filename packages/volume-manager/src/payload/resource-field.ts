import type { Container, Pod, Quantity, ResourceFieldSelector } from '@rxlet/kube-api';
import { isZeroQuantity, parseQuantity, quantityMilliValue, quantityValue } from '@rxlet/pod-model/quantity';
import { PayloadError } from './payload.ts';

/** Limits that default to the node's allocatable resources. Huge pages do not: they are never overcommitted. */
const defaultedLimits: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/**
 * Returns a request or limit of a container for a downward API volume, divided by the divisor and rounded up.
 *
 * @throws PayloadError for an unknown container or resource
 */
export function resourceField(
  pod: Pod,
  { containerName = '', resource, divisor }: ResourceFieldSelector,
  allocatable: Readonly<Record<string, Quantity>>,
): string {
  const container = findContainer(pod, containerName);
  const [, list, name = ''] = /^(limits|requests)\.(.+)$/s.exec(resource) ?? [];
  if (list === undefined || (!defaultedLimits.has(name) && !name.startsWith('hugepages-')))
    throw new PayloadError(`unsupported container resource : ${resource}`);
  const own = container.resources?.[list as 'limits' | 'requests']?.[name];
  const isDefaulted = list === 'limits' && defaultedLimits.has(name);
  return divide((isDefaulted ? unlessZero(own) : own) ?? (isDefaulted ? allocatable[name] : undefined), divisor, name);
}

function findContainer({ spec }: Pod, name: string): Container {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const found = containers.find((container) => container.name === name);
  if (found === undefined) throw new PayloadError(`container ${name} not found`);
  return found;
}

function unlessZero(quantity: Quantity | undefined): Quantity | undefined {
  return quantity === undefined || isZeroQuantity(parseQuantity(quantity)) ? undefined : quantity;
}

/** Divides in floating point, as the kubelet does, so that huge amounts are rounded alike. */
function divide(quantity: Quantity | undefined, divisor: Quantity | undefined, name: string): string {
  const read = name === 'cpu' ? quantityMilliValue : quantityValue;
  const by = unlessZero(divisor) ?? '1';
  return String(BigInt(Math.ceil(Number(read(parseQuantity(quantity ?? '0'))) / Number(read(parseQuantity(by))))));
}
