// The one place where the page reads the time and sets timers.

/** The browser's clock, epoch milliseconds. */
export function browserNow(): number {
  return Date.now();
}

/** Calls `callback` once after `delayMs`. Returns a function that cancels it. */
export function after(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}

/** Resolves after `delayMs`, or as soon as the signal aborts. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(delayMs, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
}
