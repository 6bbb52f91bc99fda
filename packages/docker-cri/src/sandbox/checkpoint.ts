import { createHash } from 'node:crypto';
import type { SandboxName } from '../names/docker-names.ts';
import type { HostPort } from './pod-network.ts';

/** Facts about a sandbox that are needed to tear it down when its container is gone. */
export interface SandboxCheckpoint {
  readonly id: string;
  readonly name: SandboxName;
  readonly isHostNetwork: boolean;
  readonly hostPorts: readonly HostPort[];
  /** Time of creation, in nanoseconds since the epoch, as a decimal. */
  readonly createdAt: string;
}

const VERSION = 'v1';

/** Returns the text of a checkpoint file. */
export function encodeCheckpoint(checkpoint: SandboxCheckpoint): string {
  const data = JSON.stringify(checkpoint);
  return JSON.stringify({ version: VERSION, checksum: checksumOf(data), data });
}

/** Reads a checkpoint file. Throws an error that describes the fault of a damaged one. */
export function decodeCheckpoint(text: string): SandboxCheckpoint {
  const { version, checksum, data } = JSON.parse(text) as { version?: unknown; checksum?: unknown; data?: unknown };
  if (version !== VERSION || typeof data !== 'string') throw new Error('it is not a checkpoint of version v1');
  if (checksum !== checksumOf(data)) throw new Error('its checksum does not match its content');
  return JSON.parse(data) as SandboxCheckpoint;
}

function checksumOf(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}
