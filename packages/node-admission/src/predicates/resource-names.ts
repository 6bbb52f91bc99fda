import { isQualifiedName } from '@rxlet/pod-model/scheduling';

/** Reports whether a resource belongs to a vendor and is counted in whole units, such as `example.com/gpu`. */
export function isExtendedResource(name: string): boolean {
  if (!name.includes('/') || isKubernetesResource(name) || name.startsWith('requests.')) return false;
  // Quotas name the resource with this prefix.
  return isQualifiedName(`requests.${name}`);
}

/** Reports whether the node's capacity of a resource limits its pods. Other unknown resources are ignored. */
export function isCountedResource(name: string): boolean {
  return (
    name === 'cpu' ||
    name === 'memory' ||
    name === 'ephemeral-storage' ||
    name.startsWith('hugepages-') ||
    name.startsWith('attachable-volumes-') ||
    isKubernetesResource(name) ||
    isExtendedResource(name)
  );
}

function isKubernetesResource(name: string): boolean {
  return name.includes('kubernetes.io/');
}
