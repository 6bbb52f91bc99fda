import type { Pod } from '@rxlet/kube-api';
import type { ContainerId } from './runtime-status.ts';

/** Names and UID of a pod. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the UID of a pod; empty for a pod without one. */
export function podUid(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

/** Returns `name_namespace`. A static pod and its successor share this name, because it lacks the UID. */
export function podFullName(pod: Pod): string {
  return `${pod.metadata?.name ?? ''}_${pod.metadata?.namespace ?? ''}`;
}

/** Returns the parts of a {@link podFullName}; `undefined` for any other text. */
export function parsePodFullName(fullName: string): { name: string; namespace: string } | undefined {
  const [name = '', namespace = '', ...rest] = fullName.split('_');
  return name === '' || namespace === '' || rest.length > 0 ? undefined : { name, namespace };
}

/** Returns `name_namespace(uid)`, the notation of a pod in logs, events and back-off messages. */
export function formatPod(pod: Pod): string {
  return `${podFullName(pod)}(${podUid(pod)})`;
}

/** Returns `namespace_name_uid`, the name of a pod's directory in the directory of pod logs (`/var/log/pods`). */
export function podLogDirectoryName({ namespace, name, uid }: PodIdentity): string {
  return `${namespace}_${name}_${uid}`;
}

/** Returns a container id in the API's notation, such as `containerd://0123…`; empty for an empty id. */
export function formatContainerId({ type, id }: ContainerId): string {
  return id === '' ? '' : `${type}://${id}`;
}

/** Parses the notation of {@link formatContainerId}, also in double quotes. Type and id of any other text are empty. */
export function parseContainerId(text: string): ContainerId {
  const [type = '', id, ...rest] = text.replace(/^"+|"+$/g, '').split('://');
  return id === undefined || rest.length > 0 ? { type: '', id: '' } : { type, id };
}
