import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';

/**
 * Writes a file of the host that only its owner may read, as memory images hold secrets. Rejects when `path` exists, also as a symbolic link, so that it cannot
 * be redirected. A partly written file is removed.
 */
export async function writeNewFile(path: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    await file.writeFile(content, { signal });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
