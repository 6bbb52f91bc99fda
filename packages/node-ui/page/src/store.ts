import type { EventRow, PodRow, StreamMessage } from '../../src/stream/messages.ts';
import { browserNow } from './browser-clock.ts';

/** State of the connection to the agent. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The agent does not answer; what is shown is as old as `sinceMs`. */
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly reason: string }
  /** This browser has no session. */
  | { readonly kind: 'closed' };

/** The agent's state as far as the page has received it. */
export interface Store {
  readonly pods: ReadonlyMap<string, PodRow>;
  readonly events: ReadonlyMap<string, EventRow>;
  /** Name of the node; empty before the first message. */
  readonly node: string;
  /** The agent's clock, epoch milliseconds. */
  now(): number;
  connection: Connection;
  apply(message: StreamMessage): void;
}

/** Creates an empty {@link Store}. */
export function createStore(): Store {
  const pods = new Map<string, PodRow>();
  const events = new Map<string, EventRow>();
  let node = '';
  /** How far the agent's clock is ahead of the browser's. */
  let aheadMs = 0;
  const put = <T>(map: Map<string, T>, key: string, value: T | null): void => {
    if (value === null) map.delete(key);
    else map.set(key, value);
  };
  return {
    pods,
    events,
    get node() {
      return node;
    },
    now: () => browserNow() + aheadMs,
    connection: { kind: 'connecting' },
    apply({ isSnapshot, node: name, nowMs, changes }) {
      node = name;
      aheadMs = nowMs - browserNow();
      if (isSnapshot) {
        pods.clear();
        events.clear();
      }
      for (const { kind, key, value } of changes) {
        if (kind === 'pod') put(pods, key, value);
        else put(events, key, value);
      }
    },
  };
}
