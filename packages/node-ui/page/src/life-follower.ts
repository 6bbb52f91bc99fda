import type { JournalEntry } from '@rxlet/agent-api/journal';
import { type Life, type RecordedLife, restoreLife } from '@rxlet/journal/model';
import { pause } from './browser-clock.ts';
import { readMessages } from './read-messages.ts';
import { get } from './session.ts';

/** The journal of the pod that the page shows. */
export interface LifeFollower {
  /** Latest life of the pod: `undefined` before it is known, `null` when the journal has none. */
  readonly life: Life | null | undefined;
  /** Follows the life of a pod, and no other one's any more. */
  show(namespace: string, name: string): void;
  stop(): void;
}

const RETRY_MS = 1000;

/** Creates a {@link LifeFollower} that calls `changed` after each change. */
export function createLifeFollower(changed: () => void): LifeFollower {
  let shown = '';
  let life: Life | null | undefined;
  let recorded: RecordedLife | undefined;
  let current = new AbortController();
  const follow = async (path: string, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        const { body } = await get(`${path}?watch=true`, signal);
        for await (const { event, data } of readMessages(body!)) {
          if (signal.aborted) return;
          const value: unknown = JSON.parse(data ?? 'null');
          if (event === 'entry') recorded?.apply(value as JournalEntry);
          else recorded = value === null ? undefined : restoreLife(value as Life);
          life = recorded?.snapshot() ?? null;
          changed();
        }
      } catch {
        // The frame of the page shows that the agent does not answer.
      }
      await pause(RETRY_MS, signal);
    }
  };
  const stop = (): void => {
    current.abort();
    shown = '';
    life = undefined;
    recorded = undefined;
  };
  return {
    get life() {
      return life;
    },
    show(namespace, name) {
      const path = ['journal', namespace, name].map(encodeURIComponent).join('/');
      if (path === shown) return;
      stop();
      shown = path;
      current = new AbortController();
      void follow(path, current.signal);
    },
    stop,
  };
}
