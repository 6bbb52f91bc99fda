import type { StreamStatus } from './stream-status.ts';

/** Protocols of exec and attach. The first four are those of SPDY, without a prefix or `v4.` also of WebSocket. */
export const V1 = 'channel.k8s.io';
export const V2 = 'v2.channel.k8s.io';
export const V3 = 'v3.channel.k8s.io';
export const V4 = 'v4.channel.k8s.io';
/** Adds the half-close of stdin to v4 over WebSocket. */
export const V5 = 'v5.channel.k8s.io';

/** Streams of an exec or attach. */
export interface CommandOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Returns the text of a status on the stream for errors: JSON from v4 on, before that the message of a failure. */
export function formatStatus(status: StreamStatus, hasJson: boolean): string {
  if (hasJson) return JSON.stringify(status);
  return status.status === 'Success' ? '' : (status.message ?? '');
}
