import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlacedFile } from '../host-files.ts';
import { fileInfoOf } from './file-info-of.ts';

/** Finds files that were moved or linked into a directory, from the events of its watch. */
export interface Placements {
  /** A name appeared or disappeared. */
  renamed(name: string): void;
  /** The content or the attributes of a file changed. */
  written(name: string): void;
}

/**
 * Creates {@link Placements}. A file that has content although no write to it was seen was complete when it got its name. inotify reports every write, so it is
 * enough to wait until the events from before the size was read have been delivered.
 */
export function createPlacements(directory: string, report: (file: PlacedFile) => void): Placements {
  /** The latest appearance of each name that is being examined. */
  const pending = new Map<string, symbol>();

  const examine = async (name: string, appearance: symbol): Promise<void> => {
    const path = join(directory, name);
    const info = fileInfoOf(await stat(path, { bigint: true }));
    // By the end of a second call the event loop has delivered all events from before the end of the first one.
    await stat(path);
    if (pending.get(name) !== appearance) return;
    if (info.kind === 'file' && info.sizeBytes > 0) report({ name, path, info });
  };

  return {
    renamed(name) {
      const appearance = Symbol(name);
      pending.set(name, appearance);
      examine(name, appearance)
        // The name is gone again; the next listing shows that.
        .catch(() => undefined)
        .finally(() => {
          if (pending.get(name) === appearance) pending.delete(name);
        });
    },
    written: (name) => void pending.delete(name),
  };
}
