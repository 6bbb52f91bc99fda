import type { Container, EphemeralContainer, Pod, Quantity, ResourceRequirements } from '@rxlet/kube-api';
import { fnv1a64, formatQuantity, parseQuantity } from '@rxlet/pod-model';

/**
 * What a container's back-off goes by: another image or other resources make it another container, which gets a fresh start. FNV-1a of 64 bits, in hex, over the
 * same parts as in a kubelet.
 */
export function crashLoopKey(pod: Pod, container: Container | EphemeralContainer): string {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const { image = '', resources } = container;
  return fnv1a64([name, namespace, uid, container.name, image, resourcesText(resources)].join('/')).toString(16);
}

/** Resources in one fixed order and notation, so that equal ones are equal text however they were written: `1` and `1000m` do not differ. */
function resourcesText({ limits, requests, claims = [] }: ResourceRequirements = {}): string {
  const list = (amounts: ResourceRequirements['limits'] = {}): string =>
    Object.entries(amounts)
      .map(([name, amount]) => `${name}: ${canonicalText(amount)},`)
      .sort()
      .join('');
  const names = claims.map(({ name, request = '' }) => `ResourceClaim{Name:${name},Request:${request},},`).join('');
  return `&ResourceRequirements{Limits:ResourceList{${list(limits)}},Requests:ResourceList{${list(requests)}},Claims:[]ResourceClaim{${names}},}`;
}

/** A quantity in its canonical form; text that is none stays as it is, for others to complain about. */
function canonicalText(amount: Quantity): string {
  try {
    return formatQuantity(parseQuantity(amount));
  } catch {
    return String(amount);
  }
}
