/**
 * Calls `callback` once, after the events that have already arrived are handled and before the event loop waits for others. It is no time that passes: a virtual clock does
 * not hold it back.
 */
export function atEndOfTurn(callback: () => void): void {
  setImmediate(callback);
}
