import type { StreamMessage } from '../../src/stream/messages.ts';
import { after, browserNow, pause } from './browser-clock.ts';
import { readMessages } from './read-messages.ts';
import { get, NoSessionError } from './session.ts';
import type { Store } from './store.ts';

/** The agent gives a sign of life every 15 seconds. */
const SILENCE_MS = 40_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 4000;

/**
 * Keeps the store up to date until the signal aborts. After a cut it goes on with the next message, or begins anew when the agent has restarted meanwhile. A page in
 * the background reads nothing.
 */
export async function followAgent(store: Store, changed: () => void, signal: AbortSignal): Promise<void> {
  let since = '';
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    await whenVisible(signal);
    const cut = new AbortController();
    const stop = (): void => cut.abort();
    signal.addEventListener('abort', stop);
    document.addEventListener('visibilitychange', stop);
    let reason = 'the agent closed the connection';
    let cancelSilence = after(SILENCE_MS, stop);
    try {
      const { body } = await get(`ui/stream${since === '' ? '' : `?since=${since}`}`, cut.signal);
      for await (const { data, id } of readMessages(body!)) {
        cancelSilence();
        cancelSilence = after(SILENCE_MS, stop);
        retryMs = FIRST_RETRY_MS;
        if (id !== undefined) since = id;
        if (data !== undefined) store.apply(JSON.parse(data) as StreamMessage);
        store.connection = { kind: 'live' };
        changed();
      }
    } catch (error) {
      if (error instanceof NoSessionError) {
        store.connection = { kind: 'closed' };
        changed();
        return;
      }
      reason = (error as Error).message;
    } finally {
      cancelSilence();
      signal.removeEventListener('abort', stop);
      document.removeEventListener('visibilitychange', stop);
    }
    if (document.hidden || signal.aborted) continue;
    const { connection } = store;
    store.connection = {
      kind: 'lost',
      sinceMs: connection.kind === 'lost' ? connection.sinceMs : browserNow(),
      reason,
    };
    changed();
    await pause(retryMs, signal);
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
  }
}

function whenVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
    check();
  });
}
