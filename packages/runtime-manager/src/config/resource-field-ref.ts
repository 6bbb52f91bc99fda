import type { Container, EphemeralContainer, Pod, Quantity, ResourceFieldSelector } from '@rxlet/kube-api';
import { parseQuantity, quantityMilliValue, quantityValue, isZeroQuantity } from '@rxlet/pod-model';
import { containerConfigError } from './config-error.ts';

/**
 * The value of a container's request or limit, as `resourceFieldRef` names it: divided by the divisor and rounded up. A limit that a regular container does
 * not set is what the pod as a whole may use, or else what the node offers.
 * @throws ConfigError for an unknown container or resource.
 */
export function resourceFieldValue(
  pod: Pod,
  own: Container | EphemeralContainer,
  { containerName, resource, divisor }: ResourceFieldSelector,
  allocatable: Readonly<Record<string, Quantity>>,
): string {
  const container = containerName === undefined || containerName === '' ? own : findContainer(pod, containerName);
  const [, list, name = ''] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  const known = name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
  if (list === undefined || !known) throw containerConfigError(`unsupported container resource : ${resource}`);

  const quantity =
    list === 'requests'
      ? container.resources?.requests?.[name]
      : (setLimit(container, name) ?? defaultLimit(pod, container, name, allocatable));
  return divide(quantity, divisor, name);
}

function findContainer(pod: Pod, name: string): Container {
  const found = [...pod.spec!.containers, ...(pod.spec!.initContainers ?? [])].find(
    (container) => container.name === name,
  );
  if (found === undefined) throw containerConfigError(`container ${name} not found`);
  return found;
}

function setLimit(container: Container | EphemeralContainer, name: string): Quantity | undefined {
  const limit = container.resources?.limits?.[name];
  return limit === undefined || isZeroQuantity(parseQuantity(limit)) ? undefined : limit;
}

function defaultLimit(
  pod: Pod,
  container: Container | EphemeralContainer,
  name: string,
  allocatable: Readonly<Record<string, Quantity>>,
): Quantity | undefined {
  if (!pod.spec!.containers.some((regular) => regular.name === container.name) || name.startsWith('hugepages-'))
    return undefined;
  const limit = pod.spec!.resources?.limits?.[name] ?? allocatable[name];
  if (limit === undefined) throw containerConfigError(`the node does not say how much ${name} it offers`);
  return limit;
}

function divide(quantity: Quantity | undefined, divisor: Quantity | undefined, name: string): string {
  const read = name === 'cpu' ? quantityMilliValue : quantityValue;
  const value = read(parseQuantity(quantity ?? '0'));
  const given = parseQuantity(divisor ?? '1');
  const by = read(isZeroQuantity(given) ? parseQuantity('1') : given);
  return String((value + by - 1n) / by);
}
