import { KubeError } from '@rxlet/kube-api/client';

/** Splits a stream into lines of JSON. Disposing of it gives back what it holds of the budget. */
export interface JsonLines extends Disposable {
  /** Adds bytes. @returns the values of the lines that they complete. @throws KubeError for a line that is no JSON, or too long */
  push(chunk: Uint8Array): unknown[];
}

/** Memory that the incomplete lines of all watches of one API server share. A node has a watch for each ConfigMap and Secret of its pods. */
export interface LineBudget {
  /** Changes what is held. @returns whether it is within the bound; a change that is not is undone */
  add(bytes: number): boolean;
}

/** Several times the largest object of an API server. */
const MAX_LINE_LENGTH = 8 * 1024 * 1024;
/** Likewise, of all watches together. */
const MAX_TOTAL_LENGTH = 32 * 1024 * 1024;
/** Cost of a piece of a line besides its text. */
const PIECE_LENGTH = 64;

/** Creates a {@link LineBudget}. */
export function createLineBudget(): LineBudget {
  let held = 0;
  return {
    add(bytes) {
      if (bytes > 0 && held + bytes > MAX_TOTAL_LENGTH) return false;
      held += bytes;
      return true;
    },
  };
}

/** Creates a decoder of JSON lines. */
export function createJsonLines(budget: LineBudget = createLineBudget()): JsonLines {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let restLength = 0;
  const forget = (): void => {
    budget.add(-restLength);
    rest = [];
    restLength = 0;
  };
  const keep = (piece: string): void => {
    if (piece === '') return;
    const length = piece.length + PIECE_LENGTH;
    if (restLength + length > MAX_LINE_LENGTH || !budget.add(length))
      throw new KubeError('InvalidResponse', 'the watch sent a line that is too long');
    rest.push(piece);
    restLength += length;
  };
  return {
    push(chunk) {
      const parts = decoder.decode(chunk, { stream: true }).split('\n');
      const last = parts.pop()!;
      const lines = parts.map((part, index) => (index === 0 ? [...rest, part].join('') : part));
      if (parts.length > 0) forget();
      keep(last);
      return lines.filter((line) => line.trim() !== '').map(parseLine);
    },
    [Symbol.dispose]: forget,
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw new KubeError('InvalidResponse', 'the watch sent a line that is no JSON', { cause: error });
  }
}
