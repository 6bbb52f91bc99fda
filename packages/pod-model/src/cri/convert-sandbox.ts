import { NamespaceMode, type PodSandboxNetworkStatus, PodSandboxState, type PodSandboxStatus } from '@rxlet/cri-api';
import { canonicalIp } from '../pod-ips.ts';
import type { RuntimeSandboxState, RuntimeSandboxStatus } from '../runtime-status.ts';
import { RuntimeResponseError } from './runtime-response-error.ts';

/** Returns the name of a sandbox state. */
export function convertSandboxState(state: PodSandboxState): RuntimeSandboxState {
  return state === PodSandboxState.SANDBOX_READY ? 'ready' : 'notready';
}

/**
 * Converts a PodSandboxStatus.
 *
 * @throws {@link RuntimeResponseError} when a field is missing that CRI requires
 */
export function convertSandboxStatus(status: PodSandboxStatus | undefined): RuntimeSandboxStatus {
  if (status === undefined) throw new RuntimeResponseError('a sandbox', 'status');
  if (status.id === '') throw new RuntimeResponseError('a sandbox', 'status.id');
  const subject = `sandbox ${status.id}`;
  const { metadata } = status;
  if (metadata === undefined) throw new RuntimeResponseError(subject, 'status.metadata');
  if (metadata.name === '') throw new RuntimeResponseError(subject, 'status.metadata.name');
  if (metadata.namespace === '') throw new RuntimeResponseError(subject, 'status.metadata.namespace');
  if (metadata.uid === '') throw new RuntimeResponseError(subject, 'status.metadata.uid');
  if (status.createdAt === 0n) throw new RuntimeResponseError(subject, 'status.createdAt');
  const { network } = status;
  const ips = sandboxIps(network);
  return {
    id: status.id,
    attempt: metadata.attempt,
    state: convertSandboxState(status.state),
    createdAtNanos: status.createdAt,
    ips,
    hostNetwork: status.linux?.namespaces?.options?.network === NamespaceMode.NODE,
    hasNetworkStatus: network !== undefined && (network.ip === '' || ips.length > 0),
    runtimeHandler: status.runtimeHandler,
  };
}

/** Returns the primary IP, then the others; none when any of them is invalid. */
function sandboxIps(network: PodSandboxNetworkStatus | undefined): readonly string[] {
  if (network === undefined) return [];
  const ips = network.additionalIps.map(({ ip }) => ip);
  if (network.ip !== '') ips.unshift(network.ip);
  return ips.every((ip) => canonicalIp(ip) !== undefined) ? ips : [];
}
