import { after } from './browser-clock.ts';
import { get } from './session.ts';

/** A document of the agent that is read again and again while a view shows it. */
export interface Polled<T> {
  /** Last answer; `undefined` before there is one. */
  readonly value: T | undefined;
  /** Reason of the last failure; absent after an answer. */
  readonly problem: string | undefined;
  /** Reads `path`, and again after each period; a path that is shown already is left as it is. */
  show(path: string): void;
  /** Reads the shown path again soon. */
  refresh(): void;
  stop(): void;
}

/** Creates a {@link Polled} that calls `changed` after each answer. A page in the background reads nothing. */
export function createPolled<T>(
  periodMs: number,
  changed: () => void,
  parse: (answer: Response) => Promise<T> = async (answer) => (await answer.json()) as T,
): Polled<T> {
  let path = '';
  let value: T | undefined;
  let problem: string | undefined;
  let cancel = (): void => undefined;
  let reading = new AbortController();
  const read = async (): Promise<void> => {
    cancel();
    reading.abort();
    const own = (reading = new AbortController());
    if (!document.hidden) {
      try {
        const answer = await parse(await get(path, own.signal));
        if (own.signal.aborted) return;
        value = answer;
        problem = undefined;
      } catch (error) {
        if (own.signal.aborted) return;
        problem = (error as Error).message;
      }
      changed();
    }
    cancel = after(periodMs, () => void read());
  };
  const stop = (): void => {
    cancel();
    reading.abort();
    path = '';
    value = undefined;
    problem = undefined;
  };
  return {
    get value() {
      return value;
    },
    get problem() {
      return problem;
    },
    show(next) {
      if (next === path) return;
      stop();
      path = next;
      void read();
    },
    refresh() {
      if (path !== '') void read();
    },
    stop,
  };
}
