import type { TerminalSize } from './stream-request.ts';

/** Sizes of a client's terminal. */
export interface TerminalSizes {
  /** The current size. */
  readonly last: TerminalSize | undefined;
  /** Passes on a size that the client has sent; an invalid one is ignored. */
  receive(json: string): void;
  onResize(listener: (size: TerminalSize) => void): void;
}

/** Creates {@link TerminalSizes}. */
export function createTerminalSizes(): TerminalSizes {
  let last: TerminalSize | undefined;
  const listeners: ((size: TerminalSize) => void)[] = [];
  return {
    get last() {
      return last;
    },
    receive(json) {
      const size = parseTerminalSize(json);
      if (size === undefined) return;
      last = size;
      for (const listener of listeners) listener(size);
    },
    onResize(listener) {
      listeners.push(listener);
      if (last !== undefined) listener(last);
    },
  };
}

/** Parses `{"Width":80,"Height":24}`; `undefined` for an invalid size. */
export function parseTerminalSize(json: string): TerminalSize | undefined {
  let size: unknown;
  try {
    size = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { Width: width, Height: height } = (size ?? {}) as { Width?: unknown; Height?: unknown };
  return isUint16(width) && isUint16(height) ? { width, height } : undefined;
}

function isUint16(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff;
}
