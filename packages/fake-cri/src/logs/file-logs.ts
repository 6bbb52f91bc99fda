import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { confinedPath } from '../fs/confined-path.ts';
import type { LogSink } from './log-sink.ts';

/** A link that replaces the log after its path was resolved is not followed. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/**
 * Creates a sink that writes container logs to files of this machine: directories 0755, files 0640, one descriptor for each running container. Writing is
 * synchronous, so that on the virtual clock a line is in its file at the time of its timestamp. The first failed write of a log is
 * reported to `logger`, and the rest of its output is dropped. A log outside of `roots` is not opened. Default: `/`.
 */
export function createFileLogs(logger: Logger, roots: string | readonly string[] = '/'): LogSink {
  return {
    open(path) {
      const real = confinedPath(roots, path);
      mkdirSync(dirname(real), { recursive: true, mode: 0o755 });
      let descriptor: number | undefined = openSync(real, APPEND, 0o640);
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
            logger.warn('cannot write a container log, the rest of it is dropped', {
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
