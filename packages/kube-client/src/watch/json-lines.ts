import { KubeError } from '@rxlet/agent-api';

/** Splits a stream into lines of JSON. */
export interface JsonLines {
  /** Adds bytes. @returns the values of the lines that they complete. @throws KubeError for a line that is no JSON, or too long */
  push(chunk: Uint8Array): unknown[];
}

/** Far more than the largest object of an API server. */
const MAX_LINE_LENGTH = 32 * 1024 * 1024;

/** Creates a decoder of JSON lines. */
export function createJsonLines(): JsonLines {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let restLength = 0;
  return {
    push(chunk) {
      const parts = decoder.decode(chunk, { stream: true }).split('\n');
      const last = parts.pop()!;
      const lines = parts.map((part, index) => (index === 0 ? [...rest, part].join('') : part));
      if (parts.length > 0) {
        rest = [];
        restLength = 0;
      }
      rest.push(last);
      restLength += last.length;
      if (restLength > MAX_LINE_LENGTH)
        throw new KubeError('InvalidResponse', 'the watch sent a line that is too long');
      return lines.filter((line) => line.trim() !== '').map(parseLine);
    },
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw new KubeError('InvalidResponse', 'the watch sent a line that is no JSON', { cause: error });
  }
}
