import type { EndpointRequest, HttpEndpoint } from '@rxlet/agent-api/http';
import { type Clock, sleep } from '@rxlet/component-base';
import { waitUntil } from '@rxlet/component-base/streams';
import { concat, map, NEVER, type Observable } from 'rxjs';
import type { Cursor } from './change-log.ts';
import { removed } from './live-feed.ts';
import type { StreamMessage } from './messages.ts';
import type { SharedFeed } from './shared-feed.ts';

/** Pause after a message, in which further changes gather: a page need not show more than this many states a second. */
const GATHER_MS = 100;
/** Longest time without a message. A reader that gets nothing for longer has lost its connection. */
const HEARTBEAT_MS = 15_000;

/** Ports of {@link streamEndpoint}. */
export interface StreamPorts {
  readonly clock: Clock;
  readonly feed: SharedFeed;
  readonly nodeName: string;
}

/**
 * Returns the endpoint `/ui/stream`: server-sent events with {@link StreamMessage}s. The first is a snapshot, unless the parameter `since` is the id of a message of
 * this agent: then the stream goes on after it. Messages are made when the reader takes them, so that a slow reader gets fewer ones.
 */
export function streamEndpoint(ports: StreamPorts): HttpEndpoint {
  return {
    path: 'ui/stream',
    methods: ['GET'],
    produces: 'text/event-stream',
    handle: (request) => ({
      contentType: 'text/event-stream',
      headers: { 'cache-control': 'no-store' },
      body: messages(ports, request),
    }),
  };
}

async function* messages({ clock, feed, nodeName }: StreamPorts, request: EndpointRequest): AsyncGenerator<Uint8Array> {
  const { signal } = request;
  using lease = feed.lease();
  const { log } = lease.feed;
  let cursor = parseCursor(request.parameters.get('since'));
  let isFirst = true;
  while (!signal.aborted) {
    const { cursor: next, isSnapshot, changes } = log.since(cursor);
    cursor = next;
    if (isFirst || changes.length > 0) {
      const message: StreamMessage = {
        isSnapshot,
        node: nodeName,
        nowMs: clock.now(),
        changes: changes.map(([key, change]) => change ?? removed(key)),
      };
      yield Buffer.from(`id: ${next.epoch}.${String(next.version)}\ndata: ${JSON.stringify(message)}\n\n`);
    } else yield Buffer.from(': still here\n\n');
    isFirst = false;
    await nextChange(log.version$, next.version, clock, signal);
  }
}

/** Waits for a change after `version`, and for those that follow at once; at most until the next sign of life is due. */
async function nextChange(
  version$: Observable<number>,
  version: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const heartbeat = new AbortController();
  const timer = clock.setTimer(HEARTBEAT_MS, () => heartbeat.abort(new Error('nothing has changed')));
  let current = version;
  const versions$ = concat(version$, NEVER).pipe(map((value) => (current = value)));
  try {
    await waitUntil(versions$, () => current > version, AbortSignal.any([signal, heartbeat.signal]));
    await sleep(clock, GATHER_MS, signal);
  } catch (error) {
    if (!signal.aborted && !heartbeat.signal.aborted) throw error;
  } finally {
    timer[Symbol.dispose]();
  }
}

function parseCursor(text: string | null): Cursor | undefined {
  const [, epoch, version] = /^([0-9a-f]{1,32})\.(\d{1,15})$/.exec(text ?? '') ?? [];
  return epoch === undefined ? undefined : { epoch, version: Number(version) };
}
