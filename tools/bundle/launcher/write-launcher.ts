import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { BUNDLE_OUTPUT } from '../bundle-output.ts';

/** Writes `main.cjs` into `folder`, which runs the bundle there from its chunk `entryChunk` on. */
export async function writeLauncher(folder: string, entryChunk: string): Promise<void> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'main.ts'),
    platform: 'node',
    transform: { define: { ENTRY_CHUNK: JSON.stringify(entryChunk) } },
  });
  await bundle.write({ ...BUNDLE_OUTPUT, file: join(folder, 'main.cjs') });
  await bundle.close();
}
