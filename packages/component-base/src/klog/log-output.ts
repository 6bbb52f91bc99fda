import type { Clock, Timer } from '../clock.ts';
import type { LogEntry } from './log-entry.ts';

/** Ports of {@link createLogOutput}. */
export interface LogOutputPorts {
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Writes a text at once. Must not throw. */
  readonly writeError: (text: string) => void;
  /** Writes a text at once where errors do not go; with `splitStream`. Must not throw. */
  readonly writeInfo: (text: string) => void;
}

/** Options of {@link createLogOutput}, by the names of KubeletConfiguration. */
export interface LogOutputOptions {
  /** Whether lines that are no errors go to a stream of their own. */
  readonly splitStream?: boolean;
  /** Bytes of lines that are held back until {@link flushFrequencyMs} has passed, with `splitStream`. Default: 0, none is. */
  readonly infoBufferBytes?: number;
  readonly flushFrequencyMs?: number;
}

/** The streams of a log. */
export interface LogOutput extends Disposable {
  write(line: string, severity: LogEntry['severity']): void;
  /** Writes the lines that are held back. */
  flush(): void;
}

/** Largest buffer, as in Kubernetes; with a larger one nothing is held back. */
const MAX_BUFFER_BYTES = 2 ** 31;

/** Creates a {@link LogOutput}. Disposing of it flushes it. */
export function createLogOutput(
  { clock, writeError, writeInfo }: LogOutputPorts,
  { splitStream = false, infoBufferBytes = 0, flushFrequencyMs = 5000 }: LogOutputOptions = {},
): LogOutput {
  const hasBuffer = splitStream && infoBufferBytes > 0 && infoBufferBytes <= MAX_BUFFER_BYTES;
  let held: string[] = [];
  let heldBytes = 0;
  let timer: Timer | undefined;
  const flush = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const text = held.join('');
    held = [];
    heldBytes = 0;
    if (text !== '') writeInfo(text);
  };
  return {
    write(line, severity) {
      if (!splitStream) return writeError(line);
      if (severity === 'error') {
        writeError(line);
        return;
      }
      if (!hasBuffer) return writeInfo(line);
      const bytes = Buffer.byteLength(line);
      if (heldBytes + bytes > infoBufferBytes) flush();
      held.push(line);
      heldBytes += bytes;
      if (heldBytes >= infoBufferBytes) flush();
      else timer ??= clock.setTimer(flushFrequencyMs, flush);
    },
    flush,
    [Symbol.dispose]: flush,
  };
}
