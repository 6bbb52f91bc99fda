import { CniError } from './cni-error.ts';
import type { JsonObject } from './json.ts';

/** A container's connection to the network. */
export interface Attachment {
  readonly containerId: string;
  /** Path of the network namespace; `undefined` when it is gone. */
  readonly netnsPath: string | undefined;
  /** Name of the interface inside. Default: `eth0`. */
  readonly interfaceName?: string;
  /** Pairs of `CNI_ARGS`, in order. */
  readonly args?: readonly (readonly [key: string, value: string])[];
  /** Arguments by capability: `portMappings`, `bandwidth`, `ipRanges`, `dns`, … A plugin gets those that it declares. */
  readonly capabilities?: JsonObject;
}

/** Identity of a pod, for {@link podArgs}. */
export interface PodOfAttachment {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly sandboxId: string;
}

export const DEFAULT_INTERFACE = 'eth0';

const CONTAINER_ID = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const MAX_INTERFACE_NAME_LENGTH = 15;

/** Returns the `CNI_ARGS` by which plugins identify a pod of Kubernetes. */
export function podArgs({ name, namespace, uid, sandboxId }: PodOfAttachment): NonNullable<Attachment['args']> {
  return [
    ['IgnoreUnknown', '1'],
    ['K8S_POD_NAMESPACE', namespace],
    ['K8S_POD_NAME', name],
    ['K8S_POD_INFRA_CONTAINER_ID', sandboxId],
    ['K8S_POD_UID', uid],
  ];
}

/** Throws a {@link CniError} for an attachment whose fields plugins or the cache of results cannot take. */
export function checkAttachment({ containerId, interfaceName = DEFAULT_INTERFACE, args = [] }: Attachment): void {
  const fault = (message: string): CniError => new CniError('InvalidRequest', message);
  if (!CONTAINER_ID.test(containerId)) throw fault(`the container id ${JSON.stringify(containerId)} is invalid`);
  const isName = /^[^/:\s]+$/.test(interfaceName) && interfaceName !== '.' && interfaceName !== '..';
  if (!isName || Buffer.byteLength(interfaceName) > MAX_INTERFACE_NAME_LENGTH) {
    throw fault(`the interface name ${JSON.stringify(interfaceName)} is invalid`);
  }
  for (const [key, value] of args) {
    if (/[;=]/.test(key) || value.includes(';')) {
      throw fault(`the argument ${JSON.stringify(`${key}=${value}`)} contains a separator`);
    }
  }
}
