import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@rxlet/component-base';
import type { CommandOptions } from '../remote-command.ts';

/** A request for an upgrade, as the event `upgrade` of an HTTP server passes it. It has not been answered. */
export interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly connection: Duplex;
  /** Bytes that were received after the head of the request. */
  readonly head: Buffer;
}

/** The runtime's end of a stream. */
export type StreamTarget =
  | {
      readonly kind: 'exec' | 'attach';
      /** URL of the runtime's streaming server. */
      readonly url: string;
      /** Streams that were requested of the runtime. */
      readonly options: CommandOptions;
    }
  | { readonly kind: 'portforward'; readonly url: string };

/** Ports of {@link proxyStream}. */
export interface ProxyPorts {
  readonly clock: Clock;
  /** Aborts when the server stops, which ends all streams. */
  readonly signal: AbortSignal;
}
