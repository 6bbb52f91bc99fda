import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage, type Logger } from '@rxlet/component-base';
import type { LogSink } from './log-sink.ts';

/**
 * Container logs as files, as a runtime writes them: directories 0755, files 0640, one descriptor for each running container. Writing is
 * synchronous, so that a line is in its file when the virtual clock has reached the time of its timestamp. The first failed write of a log is
 * reported to `logger`, and the rest of its output is dropped.
 */
export function createFileLogs(logger: Logger): LogSink {
  return {
    open(path) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      let descriptor: number | undefined = openSync(path, 'a', 0o640);
      const close = (): void => {
        if (descriptor !== undefined) closeSync(descriptor);
        descriptor = undefined;
      };
      return {
        append(lines) {
          if (descriptor === undefined) return;
          try {
            writeSync(descriptor, lines);
          } catch (error) {
            logger.warn('writing a container log failed, the rest of it is dropped', {
              path,
              error: errorMessage(error),
            });
            close();
          }
        },
        close,
      };
    },
  };
}
