import type { Pod } from '@rxlet/kube-api';
import type { ContainerId } from './runtime-status.ts';

/** What names one pod for good. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** `name_namespace`: names a pod whatever its UID, so a static pod and its successor share it. */
export function podFullName(pod: Pod): string {
  return `${pod.metadata?.name ?? ''}_${pod.metadata?.namespace ?? ''}`;
}

/** Takes a full name apart; undefined when it is none. */
export function parsePodFullName(fullName: string): { name: string; namespace: string } | undefined {
  const [name = '', namespace = '', ...rest] = fullName.split('_');
  return name === '' || namespace === '' || rest.length > 0 ? undefined : { name, namespace };
}

/** `name_namespace(uid)`: how logs, events and back-off messages show a pod. */
export function formatPod(pod: Pod): string {
  return `${podFullName(pod)}(${pod.metadata?.uid ?? ''})`;
}

/** `namespace_name_uid`: the pod's folder under the pod logs root (`/var/log/pods`). */
export function podLogDirectoryName({ namespace, name, uid }: PodIdentity): string {
  return `${namespace}_${name}_${uid}`;
}

/** `containerd://0123…` as in the API; empty for an empty id. */
export function formatContainerId({ type, id }: ContainerId): string {
  return id === '' ? '' : `${type}://${id}`;
}

/** Reads an id as {@link formatContainerId} writes it, also in double quotes. Type and id are both empty when the text is none. */
export function parseContainerId(text: string): ContainerId {
  const [type = '', id, ...rest] = text.replace(/^"+|"+$/g, '').split('://');
  return id === undefined || rest.length > 0 ? { type: '', id: '' } : { type, id };
}
