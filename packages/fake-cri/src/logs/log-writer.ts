import { formatLogLine, MAX_LINE_LENGTH, type OutputStream } from './log-line.ts';
import type { LogFile, LogSink } from './log-sink.ts';

/** Converts the output of a container to its log. */
export interface LogWriter {
  /** Writes a piece of output, which may end within a line. */
  write(stream: OutputStream, text: string): void;
  /** Opens the file again, for ReopenContainerLog after the old one was renamed. Throws as {@link LogSink.open}, and then keeps the old one. */
  reopen(): void;
  /** Writes unfinished lines as partial ones, as containerd does, and closes the file. */
  close(): void;
}

/** Opens the log at `path`; throws as {@link LogSink.open}. `now` returns the times of its lines. */
export function openLogWriter(sink: LogSink, path: string, now: () => bigint): LogWriter {
  let file: LogFile = sink.open(path);
  const unfinished: Record<OutputStream, string> = { stdout: '', stderr: '' };

  /** Returns the log lines of `content`, which has no newline: partial ones if it is too long for one, and the rest. */
  const cut = (stream: OutputStream, content: string): { lines: string; rest: string } => {
    let lines = '';
    let rest = content;
    while (rest.length > MAX_LINE_LENGTH) {
      lines += formatLogLine(now(), stream, true, rest.slice(0, MAX_LINE_LENGTH));
      rest = rest.slice(MAX_LINE_LENGTH);
    }
    return { lines, rest };
  };
  const finishLine = (stream: OutputStream, content: string): string => {
    const { lines, rest } = cut(stream, content);
    return lines + formatLogLine(now(), stream, false, rest);
  };

  return {
    write(stream, text) {
      const contents = `${unfinished[stream]}${text}`.split('\n');
      const last = contents.pop()!;
      const finished = contents.map((content) => finishLine(stream, content)).join('');
      const { lines, rest } = cut(stream, last);
      unfinished[stream] = rest;
      if (finished !== '' || lines !== '') file.append(finished + lines);
    },
    reopen() {
      const reopened = sink.open(path);
      file.close();
      file = reopened;
    },
    close() {
      for (const stream of ['stdout', 'stderr'] as const) {
        if (unfinished[stream] !== '') file.append(formatLogLine(now(), stream, true, unfinished[stream]));
        unfinished[stream] = '';
      }
      file.close();
    },
  };
}
