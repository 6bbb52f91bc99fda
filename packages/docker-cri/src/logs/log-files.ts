import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A log file that is open for appending. */
export interface LogFile extends AsyncDisposable {
  append(bytes: Uint8Array): Promise<void>;
  /** Returns the last bytes. */
  tail(maxBytes: number): Promise<Buffer>;
  /** Removes bytes at the end. */
  cut(bytes: number): Promise<void>;
}

/** Log files of containers. */
export interface LogFiles {
  /** Opens a log, and creates it and its folder if they do not exist. A link in the last place is not followed. */
  open(path: string): Promise<LogFile>;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o755;

/** Creates {@link LogFiles} on the node's disks. */
export function createLogFiles(): LogFiles {
  return {
    async open(path) {
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      const handle = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
      if (!(await handle.stat()).isFile()) {
        await handle.close();
        throw new Error(`${path} is not a regular file`);
      }
      return {
        append: (bytes) => handle.appendFile(bytes),
        async tail(maxBytes) {
          const { size } = await handle.stat();
          const length = Math.min(size, maxBytes);
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
          return buffer.subarray(0, bytesRead);
        },
        async cut(bytes) {
          const { size } = await handle.stat();
          await handle.truncate(size - bytes);
        },
        [Symbol.asyncDispose]: () => handle.close(),
      };
    },
  };
}
