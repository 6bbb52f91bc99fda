import type { Container, EphemeralContainer, Pod, Quantity, ResourceRequirements } from '@rxlet/kube-api';
import { formatQuantity, parseQuantity } from '@rxlet/pod-model/quantity';

/** Returns the key of a container's back-off: the fields that the kubelet hashes. A change of image or resources changes the key and so resets the back-off. */
export function crashLoopKey(pod: Pod, container: Container | EphemeralContainer): string {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const { image = '', resources } = container;
  return [name, namespace, uid, container.name, image, resourcesText(resources)].join('/');
}

/** Formats resources in canonical order and notation, so that equal resources give equal text: `1` and `1000m` do not differ. */
function resourcesText({ limits, requests, claims = [] }: ResourceRequirements = {}): string {
  const list = (amounts: ResourceRequirements['limits'] = {}): string =>
    Object.entries(amounts)
      .map(([name, amount]) => `${name}: ${canonicalText(amount)},`)
      .sort()
      .join('');
  const names = claims.map(({ name, request = '' }) => `ResourceClaim{Name:${name},Request:${request},},`).join('');
  return `&ResourceRequirements{Limits:ResourceList{${list(limits)}},Requests:ResourceList{${list(requests)}},Claims:[]ResourceClaim{${names}},}`;
}

/** Formats a quantity in canonical form. Malformed text is returned unchanged and reported elsewhere. */
function canonicalText(amount: Quantity): string {
  try {
    return formatQuantity(parseQuantity(amount));
  } catch {
    return String(amount);
  }
}
