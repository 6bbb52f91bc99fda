import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../errors.ts';
import type { PlacedFile } from '../host-files.ts';
import { fileInfoOf } from './file-info-of.ts';

/** Finds files that were moved or linked into a directory, or removed from it, from the events of its watch. */
export interface Placements {
  /** A name appeared or disappeared. */
  renamed(name: string): void;
  /** The content or the attributes of a file changed. */
  written(name: string): void;
}

/** Observer of {@link Placements}. */
export interface PlacementObserver {
  onPlaced(file: PlacedFile): void;
  onRemoved(path: string): void;
}

/** A name that is being examined. */
interface Appearance {
  /** Events without a write in between. */
  readonly renames: number;
}

/**
 * Creates {@link Placements}. A file that has content although no write to it was seen was complete when it got its name. inotify reports every write, so it is
 * enough to wait until the events from before the size was read have been delivered. The events of Node.js are the same for a name that appears and one that disappears:
 * a name is gone when there is no file, or when it changed twice before a write, since a file that is created and written changes its name once.
 */
export function createPlacements(directory: string, { onPlaced, onRemoved }: PlacementObserver): Placements {
  /** The latest appearance of each name that is being examined. */
  const pending = new Map<string, Appearance>();

  const examine = async (name: string, appearance: Appearance): Promise<void> => {
    const path = join(directory, name);
    const info = fileInfoOf(await stat(path, { bigint: true }));
    // By the end of a second call the event loop has delivered all events from before the end of the first one.
    await stat(path);
    if (pending.get(name) !== appearance) return;
    if (info.kind === 'file' && info.sizeBytes > 0) onPlaced({ name, path, info });
  };

  return {
    renamed(name) {
      const appearance = { renames: (pending.get(name)?.renames ?? 0) + 1 };
      pending.set(name, appearance);
      examine(name, appearance)
        .catch((error: unknown) => {
          if (systemErrorCode(error) === 'ENOENT') onRemoved(join(directory, name));
        })
        .finally(() => {
          if (pending.get(name) === appearance) pending.delete(name);
        });
    },
    written(name) {
      const { renames = 0 } = pending.get(name) ?? {};
      pending.delete(name);
      if (renames > 1) onRemoved(join(directory, name));
    },
  };
}
