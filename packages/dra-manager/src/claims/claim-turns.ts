import { abortable } from '@rxlet/component-base';

/** Claims that one operation holds, so that no claim is prepared and unprepared at the same time. Disposal ends all turns that are left. */
export interface HeldTurns extends Disposable {
  /** Ends the turn of one claim. */
  end(key: string): void;
}

/** Turns of operations on claims: those of one claim follow each other, those of different claims run side by side. */
export interface ClaimTurns {
  /** Waits until no other operation holds any of the claims, and takes all of them at once: an operation that waits holds none. */
  take(keys: readonly string[], signal: AbortSignal | undefined): Promise<HeldTurns>;
}

/** Creates {@link ClaimTurns}. */
export function createClaimTurns(): ClaimTurns {
  const held = new Map<string, PromiseWithResolvers<void>>();
  return {
    async take(keys, signal) {
      for (;;) {
        signal?.throwIfAborted();
        const busy = keys.flatMap((key) => held.get(key)?.promise ?? []);
        if (busy.length === 0) break;
        await abortable(Promise.all(busy), signal);
      }
      const own = new Map(keys.map((key) => [key, Promise.withResolvers<void>()]));
      for (const [key, turn] of own) held.set(key, turn);
      const end = (key: string): void => {
        const turn = own.get(key);
        if (turn === undefined) return;
        own.delete(key);
        held.delete(key);
        turn.resolve();
      };
      return {
        end,
        [Symbol.dispose]() {
          for (const key of [...own.keys()]) end(key);
        },
      };
    },
  };
}
