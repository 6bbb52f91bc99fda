import type { EventEmitter } from 'node:events';

/** Resolves when a stream accepts more data, or has closed. Unlike a race of two events, it leaves no listener behind. */
export function drained(stream: Pick<EventEmitter, 'on' | 'off'>): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.on('drain', settle);
    stream.on('close', settle);
  });
}
