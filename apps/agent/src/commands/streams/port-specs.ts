import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { UsageError } from '../../config/config-error.ts';
import { AgentConnectionError } from '../agent-connection.ts';

/** A port to listen on, 0 for any that is free, and the port of the pod behind it. */
export interface PortSpec {
  readonly local: number;
  readonly remote: number;
}

/**
 * Parses a port of `rxlet port-forward`: `80`, `8080:80`, `:80`, or with the name of a port of the pod, as kubectl does it.
 * @throws UsageError for a malformed one
 * @throws AgentConnectionError for a name that the pod does not have, and for a port that is UDP only
 */
export function parsePortSpec(text: string, pod: Pod): PortSpec {
  const parts = text.split(':');
  if (parts.length > 2) throw new UsageError(`invalid port format '${text}'`);
  const remoteText = parts.at(-1)!;
  if (remoteText === '') throw new UsageError('remote port cannot be empty');
  const ports = podContainers(pod).flatMap(({ container }) => container.ports ?? []);
  const named = ports.find(({ name }) => name === remoteText);
  if (named === undefined && !/^\d+$/.test(remoteText)) {
    const { name = '' } = pod.metadata ?? {};
    throw new AgentConnectionError(`Pod '${name}' does not have a named port '${remoteText}'`);
  }
  const remote = named?.containerPort ?? parsePort('remote', remoteText);
  if (remote === 0) throw new UsageError('remote port must be > 0');
  const same = ports.filter(({ containerPort }) => containerPort === remote);
  if (same.length > 0 && same.every(({ protocol }) => protocol === 'UDP')) {
    throw new AgentConnectionError(`UDP protocol is not supported for ${remoteText}`);
  }
  if (parts.length === 1) return { local: remote, remote };
  return { local: parsePort('local', parts[0] === '' ? '0' : parts[0]!), remote };
}

function parsePort(side: string, text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (port >= 0 && port <= 0xffff) return port;
  const cause = Number.isNaN(port) ? 'invalid syntax' : 'value out of range';
  throw new UsageError(`error parsing ${side} port '${text}': ${cause}`);
}
