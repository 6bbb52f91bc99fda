import type { KubeObject } from '@rxlet/kube-api/client';
import type { Pod, Secret } from '@rxlet/kube-api';
import { isMirrorPod, isTerminalPhase, podUid, referencedObjects } from '@rxlet/pod-model';
import { type KeptCopy, selectedName } from './kept-copy.ts';

/** Kinds of the resources to which pods refer by name. */
const REFERENCED: Readonly<Record<string, 'ConfigMap' | 'Secret'>> = { configmaps: 'ConfigMap', secrets: 'Secret' };
/** Namespace whose service of the API server every container gets in its environment. */
const API_SERVICE_NAMESPACE = 'default';
const TOKEN_SECRET = 'kubernetes.io/service-account-token';

/**
 * Returns what is worth keeping for a start without the API server: pods that have not ended, the ConfigMaps and Secrets that they refer to, the services that their
 * containers see, the Node object and the RuntimeClasses. Credentials of service accounts are left out.
 *
 * @param ended UIDs of pods that have ended although their copies do not show it
 */
export function selectKept(copies: Iterable<KeptCopy>, ended: ReadonlySet<string> = new Set()): readonly KeptCopy[] {
  const all = [...copies];
  const isPods = ({ plural }: KeptCopy): boolean => plural === 'pods';
  const pods = all.filter(isPods).flatMap(({ objects }) => objects);
  const namespaces = new Set([API_SERVICE_NAMESPACE, ...pods.map(namespaceOf)]);
  const references = new Set(
    pods.flatMap((pod) => referencedObjects(pod).map(({ kind, name }) => `${kind}|${namespaceOf(pod)}|${name}`)),
  );
  return all.flatMap((copy) => {
    const kind = REFERENCED[copy.plural];
    if (kind !== undefined) {
      const isReferenced = references.has(`${kind}|${copy.namespace ?? ''}|${selectedName(copy) ?? ''}`);
      const isToken = copy.objects.some((object) => (object as Secret).type === TOKEN_SECRET);
      return isReferenced && !isToken ? [bare(copy, copy.objects)] : [];
    }
    if (isPods(copy))
      return [
        bare(
          copy,
          copy.objects.filter((pod) => isWorthKeeping(pod) && !ended.has(podUid(pod))),
        ),
      ];
    if (copy.plural !== 'services') return [bare(copy, copy.objects)];
    return [
      bare(
        copy,
        copy.objects.filter((service) => namespaces.has(namespaceOf(service))),
      ),
    ];
  });
}

/** Reports whether a pod of the API is kept: no mirror pod, and none that has ended. */
export function isWorthKeeping(pod: Pod): boolean {
  return !isMirrorPod(pod) && !isTerminalPhase(pod.status?.phase);
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata?.namespace ?? 'default';
}

/** Returns a copy without the records of who changed which field. */
function bare(copy: KeptCopy, objects: readonly KubeObject[]): KeptCopy {
  return {
    ...copy,
    objects: objects.map((object) => {
      const { managedFields: _, ...metadata } = object.metadata ?? {};
      return { ...object, metadata };
    }),
  };
}
